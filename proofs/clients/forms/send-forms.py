# Sends the forms of standard input, one after the other, with requests: send-forms.py URL.
import base64
import json
import sys

import requests

for form in json.load(sys.stdin):
    texts = [(part["name"], part["text"]) for part in form if "text" in part]
    files = [
        (part["name"], (part["filename"], base64.b64decode(part["base64"])))
        for part in form
        if "base64" in part
    ]
    # Without a file, requests would send another media type.
    requests.post(sys.argv[1], files=files or [(name, (None, text)) for name, text in texts], data=texts if files else None)
