"""Charts: typed values in, SVG out, independent of models and pages. All pages use them."""

from outcomes.charts.areas import areas
from outcomes.charts.axes import Axis, NumberAxis, TimeAxis
from outcomes.charts.columns import columns, hanging
from outcomes.charts.countings import Counting, countings
from outcomes.charts.lines import Ahead, Level, Point, lines
from outcomes.charts.series import LinkTo, Series, Style, Unit
from outcomes.charts.spark import spark
from outcomes.charts.strip import Stop, strip
from outcomes.charts.strip_marks import By

__all__ = [
    "Ahead",
    "Axis",
    "By",
    "Counting",
    "Level",
    "LinkTo",
    "NumberAxis",
    "Point",
    "Series",
    "Stop",
    "Style",
    "TimeAxis",
    "Unit",
    "areas",
    "columns",
    "countings",
    "hanging",
    "lines",
    "spark",
    "strip",
]
