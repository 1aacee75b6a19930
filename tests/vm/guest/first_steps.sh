# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# When this ends, a Debian with the packages installed boots, with first_steps_judge.sh as one of its services. Judged
# by tests/package/test_first_steps.sh.
. /lib.sh
next_mount || exit 1
cp /bin/first_steps_lines /next/
next_prepare /bin/first_steps_judge.sh
