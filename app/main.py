"""attnviz in the browser: page configuration and navigation, nothing else."""

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

st.set_page_config("attnviz", page_icon=str(HERE / "icon.png"), layout="wide")
PAGES = [
    st.Page("views/translate.py", title="Translate", default=True),
    st.Page("views/caption.py", title="Caption"),
    st.Page("views/entail.py", title="Entail"),
    st.Page("views/summarize.py", title="Summarize"),
    st.Page("views/lab.py", title="Lab"),
    st.Page("views/debug.py", title="Debug"),
]
# Streamlit leaves a finger's breadth between the navigation and a page's title, and has no setting for it.
st.html("<style>[data-testid=stMainBlockContainer] { padding-block: 4rem 3rem }</style>")
st.navigation(PAGES, position="top").run()
