// node embed.mjs DIST OUT.c: the files of a bundle as the table of server/http/dashboard.h, each as it is and
// compressed. Same files, same bytes (gzip without a date). Prints the sizes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { array, PRAGMA } from "./bytes.mjs";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const [dist, out] = process.argv.slice(2);

function files(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });
}

let text = `#include "http/dashboard.h"\n\n${PRAGMA}\n`;
let table = "";
let total = 0;
files(dist).forEach((file, i) => {
  const type = TYPES[extname(file)];
  if (!type) throw new Error(`embed.mjs: no media type for ${file}`);
  const plain = readFileSync(file);
  const packed = gzipSync(plain, { level: 9 });
  const path = "/" + relative(dist, file);
  const tag = createHash("sha256").update(plain).digest("hex").slice(0, 32);
  total += packed.length;
  text += array(`plain_${i}`, plain) + array(`packed_${i}`, packed);
  table +=
    `  {${JSON.stringify(path === "/index.html" ? "/" : path)}, ${JSON.stringify(type)}, "\\"${tag}\\"", ` +
    `${path.startsWith("/assets/")}, plain_${i}, packed_${i}, sizeof plain_${i}, sizeof packed_${i}},\n`;
});
writeFileSync(out, `${text}\nconst dashboard_file dashboard_files[] = {\n${table}  {0}};\n`);
console.log(`dashboard: ${(total / 1000).toFixed(0)} kB compressed`);
