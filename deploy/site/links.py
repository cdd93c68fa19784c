"""Links of the pages to what is no page of the site lead to the repository."""
import posixpath
import re


def on_page_markdown(markdown, page, config, **_):
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def outside(link):
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        if path.startswith("docs/") or "://" in link[1]:
            return link[0]
        return f"]({config.repo_url}/blob/main/{path}{link[2] or ''})"

    return re.sub(r"\]\(([^)#\s]+)(#[^)]*)?\)", outside, markdown)
