# SPDX-License-Identifier: Apache-2.0
"""Prints how many bytes pip would download, and how many packages, from its own report.

Usage: pip install --dry-run --report - PACKAGE | download_size.py
Output: "BYTES PACKAGES", or "unknown PACKAGES" if an index does not tell a size.
Files that lie on this machine already are no download and count nothing.
"""

import concurrent.futures
import json
import sys
import urllib.parse
import urllib.request


def download_bytes(url):
    if urllib.parse.urlsplit(url).scheme == "file":
        return 0
    request = urllib.request.Request(url, method="HEAD")
    with urllib.request.urlopen(request, timeout=20) as response:
        return int(response.headers["Content-Length"])


def main():
    urls = [item["download_info"]["url"] for item in json.load(sys.stdin)["install"]]
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            print(sum(pool.map(download_bytes, urls)), len(urls))
    except (OSError, TypeError, ValueError):
        print("unknown", len(urls))


main()
