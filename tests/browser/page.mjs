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
  page.on("dialog", (d) => (page.troubles.push(`dialog: ${d.message()}`), d.accept())); // the page has its own
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

/** The editor of this name on a page: what is written in it, and writing in it as people do. */
export function editorOf(page, label) {
  const box = page.locator(`[data-editor="${label}"]`), host = box.locator(".code"), content = host.locator(".cm-content");
  return {
    box, content, host,
    text: async () => (await content.waitFor(), host.evaluate((e) => e.text())),
    selected: () => host.evaluate((e) => e.selected()),
    async fill(text) {
      await content.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    },
    async change(from, to) { await this.fill((await this.text()).replace(from, to)); },
    async has(words) { await eventually(() => this.text(), (text) => text.includes(words), `${label} with ${words}`); },
  };
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

/**
 * What is wrong with how a page is laid out: what stands on top of each other, what reaches beyond the page, what can hardly be
 * read against what is behind it. Measured in the DOM: words, controls, headings, cells; of what scrolls, what is seen.
 */
export async function layoutTroubles(page) {
  return page.evaluate(() => {
    const WORDS = "button, a, select, input, textarea, h1, h2, h3, label, td, th, dt, dd, summary, figcaption, p, li, .state, .label, .name, output, .quiet";
    const seen = (e) => { const s = getComputedStyle(e); return s.visibility !== "hidden" && s.display !== "none" && Number(s.opacity) > 0.1; };
    const clipped = (e, box) => {
      let { left, top, right, bottom } = box;
      for (let up = e.parentElement; up; up = up.parentElement) {
        if (getComputedStyle(up).overflow === "visible") continue;
        const b = up.getBoundingClientRect();
        (left = Math.max(left, b.left)), (top = Math.max(top, b.top)), (right = Math.min(right, b.right)), (bottom = Math.min(bottom, b.bottom));
      }
      return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom } : null;
    };
    const all = [...document.querySelectorAll(WORDS)].filter((e) => seen(e) && !e.closest(".u-wrap, .skip, .offer, details:not([open]) > :not(summary), input[type=file]") && !(e.type === "file"));
    const leaves = all.filter((e) => !all.some((o) => o !== e && e.contains(o)));
    const boxes = leaves.flatMap((e) => [...e.getClientRects()].flatMap((b) => { const c = clipped(e, b); return c ? [{ e, ...c }] : []; })), troubles = [];
    const word = (e) => `${e.tagName.toLowerCase()}${e.className && typeof e.className === "string" ? `.${e.className.split(" ").join(".")}` : ""} "${(e.textContent || e.value || e.name || "").trim().slice(0, 30)}"`;
    for (let i = 0; i < boxes.length; i++)
      for (let j = i + 1; j < boxes.length; j++) {
        const a = boxes[i], b = boxes[j], wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (a.e !== b.e && wide > 2 && high > 3) troubles.push(`${word(a.e)} and ${word(b.e)} overlap by ${wide.toFixed(0)} x ${high.toFixed(0)}`);
      }
    for (const b of boxes) if (b.right > document.documentElement.clientWidth + 1 || b.left < -1) troubles.push(`${word(b.e)} reaches beyond the page: ${b.left.toFixed(0)} to ${b.right.toFixed(0)}`);
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) troubles.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const numbers = (c) => (c.match(/[\d.]+/g) ?? []).map(Number), light = ([r, g, b]) => [r, g, b].map((x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4).reduce((s, x, i) => s + x * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (e) => { for (let up = e; up; up = up.parentElement) { const s = getComputedStyle(up), c = numbers(s.backgroundColor); if (s.backgroundImage !== "none") return null; if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
    for (const e of leaves) {
      if (!e.textContent.trim() || e.disabled || e.closest("[disabled]")) continue;
      const ink = numbers(getComputedStyle(e).color), ground = behind(e);
      if (!ground || ink.length > 3) continue;
      const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4) troubles.push(`${word(e)} can hardly be read: contrast ${ratio.toFixed(1)}`);
    }
    return [...new Set(troubles)];
  });
}
