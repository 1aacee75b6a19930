# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What threads waited for: the workloads of tests/live/test_objects.sh, test_mutexes.sh and test_ready.sh. Judged by tests/vm/test_aarch64.sh.
. /lib.sh

mkdir /tmp/objects
record objects --force --offcpu 0 --embed=none -- objects "${rounds:-20}" /tmp/objects
record mutexes --force --offcpu 0 -- mutexes "${rounds:-20}" /tmp/shared
record ready --force --offcpu 0 -m 500us --embed=none -- ready "${rounds:-20}"
for run in objects mutexes ready; do cp /out/$run.out /out/$run.truth; done
record_claims
exit 0
