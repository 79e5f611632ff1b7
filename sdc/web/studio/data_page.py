"""The room Data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.web.studio.rooms import room

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from sdc.studio.workbench import Workbench


@room("data", "Data", order=1)
def data(_workbench: Workbench, _request: Request) -> Mapping[str, Any]:
    return {}
