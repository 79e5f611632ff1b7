"""The threshold gate: criteria of a profile as Great Expectations suites, and what they say about a candidate."""

from sdc.release_criteria.choice import Choice, choose
from sdc.release_criteria.comparison_facts import comparison_facts
from sdc.release_criteria.judgement import Judgement, judge, judge_again
from sdc.release_criteria.scorecard import scorecard
from sdc.release_criteria.suites import Suites, build_suites
from sdc.release_criteria.table_facts import table_facts
from sdc.release_criteria.validation import warm

__all__ = ["Choice", "Judgement", "Suites", "build_suites", "choose", "comparison_facts", "judge", "judge_again", "scorecard", "table_facts", "warm"]
