"""The gate: criteria as Great Expectations suites, table checks, judgement, choice and search.

It may import every room from `sdc.ingest` and `sdc.measures` down; it writes no page and no bundle.
"""

from sdc.gate.choice import Choice, choose
from sdc.gate.comparison_facts import comparison_facts
from sdc.gate.judgement import Judgement, judge, judge_again
from sdc.gate.scorecard import scorecard
from sdc.gate.several_syntheses import worst_comparison, worst_facts
from sdc.gate.suites import Suites, build_suites
from sdc.gate.table_facts import table_facts
from sdc.gate.validation import warm

__all__ = [
    "Choice",
    "Judgement",
    "Suites",
    "build_suites",
    "choose",
    "comparison_facts",
    "judge",
    "judge_again",
    "scorecard",
    "table_facts",
    "warm",
    "worst_comparison",
    "worst_facts",
]
