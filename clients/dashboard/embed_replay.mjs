// node embed_replay.mjs DIST OUT.c: script and sheet of the replay as the page around a title and a result, which
// clients/c/commands/local/replay_page.h tells of. Without DIST it is empty.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { array, PRAGMA } from "./bytes.mjs";

const [dist, out] = process.argv.slice(2);
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

// A script ends at the first "</script", whatever that stands in.
const inside = (text) => text.replace(/<\/(script|style)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");

const script = inside(readFileSync(join(dist, "replay.js"), "utf8")), sheet = inside(readFileSync(join(dist, "replay.css"), "utf8"));
const parts = {
  replay_head: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>`,
  replay_middle: `</title>
<style>${sheet}</style>
</head>
<body>
<div id="app"></div>
<noscript>The replay needs JavaScript.</noscript>
<script id="result" type="text/plain">`,
  replay_tail: `</script>
<script>${script}</script>
</body>
</html>
`,
};

const part = (name, text) =>
  array(`${name}_bytes`, Buffer.from(text, "utf8")) + `const replay_part ${name} = {${name}_bytes, sizeof ${name}_bytes};\n`;

writeFileSync(out, `#include "commands/local/replay_page.h"\n\n${PRAGMA}\n${Object.entries(parts).map(([name, text]) => part(name, text)).join("\n")}`);
