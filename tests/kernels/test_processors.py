"""Are rows worked on in parts, and the parts given back in order?"""

import time

from sdc.kernels.processors import each_part, in_parts


def test_parts_come_in_order_whichever_ends_first() -> None:
    def work(rows: slice) -> tuple[int, int]:
        time.sleep(0.02 if rows.start == 0 else 0)
        return rows.start, rows.stop

    assert list(each_part(10, work, 4)) == [(0, 4), (4, 8), (8, 10)]


def test_a_short_table_is_one_part() -> None:
    assert list(each_part(3, lambda rows: (rows.start, rows.stop), 4)) == [(0, 3)]


def test_every_row_is_worked_on_once() -> None:
    seen = [0] * 10

    def work(rows: slice) -> None:
        for place in range(rows.start, rows.stop):
            seen[place] += 1

    in_parts(10, work, 3)
    assert seen == [1] * 10
