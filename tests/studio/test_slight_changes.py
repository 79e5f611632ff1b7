"""A number that went so little that it reads the same is not called better or worse in colours."""

from __future__ import annotations

from sdc.studio.trial_numbers import TrialNumber, _rounds_alike
from sdc.web.render import environment

COURSE = '{% import "studio/protection_words.html" as words %}{{ words.course(each) }}'


def drawn(**told):
    return environment().from_string(COURSE).render(each=TrialNumber("il1s", "il1s", "", **told))


def test_two_numbers_that_read_the_same_are_hardly_apart():
    assert _rounds_alike(0.024512, 0.024508)
    assert not _rounds_alike(0.0245, 0.0255)
    assert "hardly worse" in drawn(value="0.0245", was="0.0245", course="worse", is_slight=True)
    assert 'class="course worse"' in drawn(value="0.03", was="0.0245", course="worse")
    assert "same" in drawn(value="3", was="3", course="same")
