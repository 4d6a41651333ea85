"""Generated results that report an error in the ways the SDKs recognize."""

from hypothesis import strategies as st

texts = st.text(max_size=9) | st.builds(
    str.__add__,
    st.sampled_from(
        ["Error:", "error:", "eRRoR:", "fatal:", "FATAL:", " error:", "error :", "erro"]
    ),
    st.text(max_size=3),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["is_error", "error", "content", "metadata"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
