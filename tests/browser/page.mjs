// A headless Chromium for tests, driven by playwright-core. Collects what a page must not do: errors, and requests
// elsewhere.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { packages } from "./bundle.mjs";

const EXECUTABLE = process.env.TENDRIL_CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE_MS = 180000;
export const pictures = process.env.TENDRIL_PICTURES ?? mkdtempSync(join(tmpdir(), "tendril-pictures-"));

export async function startBrowser(viewport = { width: 1400, height: 1000 }) {
  const { chromium } = packages("playwright-core");
  mkdirSync(pictures, { recursive: true });
  const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), "tendril-chromium-")), {
    executablePath: EXECUTABLE,
    viewport,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  return context;
}

/** A page whose troubles are collected in `page.troubles`. `allowed`: console messages that a test provokes. */
export async function openPage(context, url, allowed = /status of (4|5)\d\d|net::ERR/) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.troubles = [];
  page.on("pageerror", (e) => page.troubles.push(`error: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && !allowed.test(m.text()) && page.troubles.push(`console: ${m.text()}`));
  page.on("request", (r) => !r.url().startsWith(url) && !/^(data|blob):/.test(r.url()) && page.troubles.push(`request: ${r.url()}`));
  page.on("dialog", (d) => d.accept());
  await page.goto(url);
  return page;
}

/** Reads until what is read is good: `what` was missed otherwise. Machines are as slow as they are, so patience is long. */
export async function eventually(read, good, what) {
  for (const end = Date.now() + PATIENCE_MS; ; await new Promise((r) => setTimeout(r, 50))) {
    const found = await read();
    if (good(found)) return found;
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}, but ${String(JSON.stringify(found)).slice(0, 300)}`);
  }
}

/** Waits until `condition(argument)` is true in the page. Not waitForFunction, whose eval the pages' policy forbids. */
export async function until(page, condition, argument) {
  await eventually(() => page.evaluate(condition, argument), Boolean, `${condition} ${argument ?? ""}`);
}

// Bytes of a PNG's pixels as browsers write it: eight bits, three or four channels, not interlaced.
function pixels(png) {
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), size = png[25] === 6 ? 4 : 3, row = width * size, parts = [];
  if (png[24] !== 8 || ![2, 6].includes(png[25])) throw new Error(`a PNG of type ${png[24]}, ${png[25]}`);
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts)), data = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < row; x++) {
      const a = x < size ? 0 : data[y * row + x - size], b = y ? data[(y - 1) * row + x] : 0, c = x < size || !y ? 0 : data[(y - 1) * row + x - size];
      const p = a + b - c, near = [a, b, c].reduce((best, v) => (Math.abs(p - v) < Math.abs(p - best) ? v : best), a);
      data[y * row + x] = raw[y * (row + 1) + 1 + x] + [0, a, b, (a + b) >> 1, near][raw[y * (row + 1)]];
    }
  return { data, size };
}

/** What is drawn on a canvas: the picture, the share of its pixels with a strong colour, and a number that changes with any pixel. */
export async function share(page, selector) {
  const png = await page.locator(selector).first().screenshot(), { data, size } = pixels(png);
  let strong = 0;
  for (let i = 0; i < data.length; i += size)
    if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) strong++;
  return { strong: (strong * size) / data.length, hash: createHash("sha256").update(data).digest("hex").slice(0, 16), png };
}

/** A picture of a page or of a part of it. */
export async function picture(what, name) {
  await what.screenshot({ path: join(pictures, `${name}.png`) });
}
