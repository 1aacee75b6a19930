# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Off-CPU recording, and the views of what it recorded."""

import settings
import waits_storm
import waits_views

PARTS = {"alone": waits_storm.run_alone, "steady": waits_storm.run_steady, "views": waits_views.run}
WANTED = settings.setting("WAITS_PARTS", list(PARTS), list(PARTS), settings.words)


def run(report, say):
    for name in WANTED:
        if name not in PARTS:
            raise SystemExit(f"bench: no part '{name}' of the waits; there are {', '.join(PARTS)}")
        PARTS[name](report, say)
