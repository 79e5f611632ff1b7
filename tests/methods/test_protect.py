import numpy as np
import pandas as pd

from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.methods.protect import changes, looked_at, protect
from sdc.profile import StepPlan
from sdc.run.randomness import Randomness

ROLES = Roles.of(
    [
        Variable("home", Role.HOUSEHOLD),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
    ]
)


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "home": pd.Categorical(["7", "7", "9", "3"]),
            "sex": pd.Categorical(["f", None, "m", "f"]),
            "age": [30.0, np.nan, 41.0, 30.0],
        }
    )


def test_changes_count_records_with_another_value_and_a_missing_that_stays_is_none() -> None:
    after = people().assign(
        sex=pd.Categorical([None, None, "m", "m"], categories=["f", "m"]),
        age=pd.Categorical(["30-39", None, "40-49", "30-39"]),
    )
    assert changes(people(), after) == {"home": 0, "sex": 2, "age": 3}


def test_a_number_that_is_a_label_of_its_own_now_is_no_change() -> None:
    after = people().assign(age=pd.Categorical(["30", None, "40-49", "31"]))
    assert changes(people(), after)["age"] == 2


def test_members_of_a_household_stay_together_under_new_numbers() -> None:
    homes = [
        protect(
            people(),
            ROLES,
            (),
            name="c",
            randomness=Randomness.from_seed(seed),
            missing=MissingRule.OWN_CATEGORY,
        )
        .table["home"]
        .astype(str)
        for seed in range(20)
    ]
    assert all(
        home[0] == home[1] and len({home[0], home[2], home[3]}) == 3 and set(home) == {"1", "2", "3"}
        for home in homes
    )
    assert len({tuple(home) for home in homes}) > 1


def test_the_same_seed_gives_the_same_candidate_and_order() -> None:
    steps = (StepPlan(method="rank_swap", **{"with": {"variables": ["age"], "p": 0.9}}),)
    first, again = (
        protect(
            people(),
            ROLES,
            steps,
            name="c",
            randomness=Randomness.from_seed(5),
            missing=MissingRule.OWN_CATEGORY,
        )
        for _ in range(2)
    )
    pd.testing.assert_frame_equal(first.table, again.table)
    assert first.order.tolist() == again.order.tolist()
    assert sorted(first.order.tolist()) == [0, 1, 2, 3]


def test_records_leave_in_an_order_that_is_not_that_of_the_file() -> None:
    orders = {
        tuple(
            protect(
                people(),
                ROLES,
                (),
                name="c",
                randomness=Randomness.from_seed(seed),
                missing=MissingRule.OWN_CATEGORY,
            ).order
        )
        for seed in range(20)
    }
    assert len(orders) > 5


def test_categories_in_another_order_are_the_same_values() -> None:
    after = people().assign(sex=pd.Categorical(["f", None, "m", "m"], categories=["m", "f"]))
    assert changes(people(), after)["sex"] == 1


def test_steps_on_columns_look_at_what_they_touch_and_name_and_others_at_everything() -> None:
    recode = StepPlan.model_validate({"method": "global_recode", "with": {"age": {"width": 10}}})
    noise = StepPlan.model_validate({"method": "pram", "with": {"variables": ["sex"], "by": ["age"]}})
    swap = StepPlan.model_validate({"method": "record_swap", "with": {"variables": ["sex"]}})
    assert looked_at([recode], ROLES) == ("home", "age")
    assert looked_at([recode, noise], ROLES) == ("home", "sex", "age")
    assert looked_at([recode, swap], ROLES) == ROLES.released


def test_what_no_step_looks_at_is_on_record_as_unchanged() -> None:
    recode = StepPlan.model_validate({"method": "global_recode", "with": {"age": {"width": 10}}})
    made = protect(
        people().drop(columns="sex"),
        ROLES,
        [recode],
        name="plain",
        randomness=Randomness.from_seed(1),
        missing=MissingRule.OWN_CATEGORY,
        left_out=["sex"],
    )
    assert made.steps[0].changed == {"home": 0, "sex": 0, "age": 3}
