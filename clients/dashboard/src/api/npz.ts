// Result archives, read in parts: the directory at the end of the file by a Range request, then only the members that
// are looked at. So a result of many megabytes costs what q(t) costs. Archives without ranges (partial results) come
// whole.
//
// Members are stored, not compressed (api/c/npz_write.c), little-endian, C order.
import { Problem, send } from "./client";

export interface NpzArray {
  shape: number[];
  data: Float64Array;
}

interface Member {
  offset: number; // of its local header
  size: number; // of the .npy
}

const TAIL = 65536;

/** How many bytes of how many have come; 0: nobody said how many there are. */
export type Tell = (done: number, total: number) => void;

// The whole body, told of as it comes.
async function bodyOf(reply: Response, tell?: Tell): Promise<Uint8Array<ArrayBuffer>> {
  if (!tell || !reply.body) return new Uint8Array(await reply.arrayBuffer());
  const reader = reply.body.getReader(), parts: Uint8Array[] = [], total = Number(reply.headers.get("Content-Length") ?? 0);
  let done = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    parts.push(piece.value);
    tell((done += piece.value.length), total);
  }
  const all = new Uint8Array(done);
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

function broken(why: string): Problem {
  return new Problem({ status: 200, code: "broken_result", detail: `The result cannot be read: ${why}` });
}

// Central directory in `bytes`, which end where the archive ends and begin at `start` of it. null: it begins before.
function readDirectory(bytes: DataView, start: number): Map<string, Member> | null {
  let end = bytes.byteLength - 22;
  while (end >= 0 && bytes.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw broken("it has no directory");
  let at = bytes.getUint32(end + 16, true), count = bytes.getUint16(end + 10, true);
  if ((at === 0xffffffff || count === 0xffff) && end >= 20) {
    const locator = Number(bytes.getBigUint64(end - 12, true)) - start;
    if (locator < 0) return null;
    count = Number(bytes.getBigUint64(locator + 32, true));
    at = Number(bytes.getBigUint64(locator + 48, true));
  }
  at -= start;
  if (at < 0) return null;
  const members = new Map<string, Member>();
  for (let i = 0; i < count; i++) {
    if (bytes.getUint32(at, true) !== 0x02014b50) throw broken("its directory is damaged");
    const name = bytes.getUint16(at + 28, true), extra = bytes.getUint16(at + 30, true), note = bytes.getUint16(at + 32, true);
    let size = bytes.getUint32(at + 24, true), offset = bytes.getUint32(at + 42, true);
    const text = new TextDecoder().decode(new Uint8Array(bytes.buffer, bytes.byteOffset + at + 46, name));
    for (let e = at + 46 + name; e < at + 46 + name + extra; e += 4 + bytes.getUint16(e + 2, true)) {
      if (bytes.getUint16(e, true) !== 1) continue; // zip64: only what did not fit, in this order
      let field = e + 4;
      if (size === 0xffffffff) (size = Number(bytes.getBigUint64(field, true))), (field += 16);
      if (offset === 0xffffffff) offset = Number(bytes.getBigUint64(field, true));
    }
    members.set(text.replace(/\.npy$/, ""), { offset, size });
    at += 46 + name + extra + note;
  }
  return members;
}

// An .npy as numbers; bytes stay bytes.
function readArray(bytes: Uint8Array): NpzArray & { raw: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = bytes[6] >= 2, length = wide ? view.getUint32(8, true) : view.getUint16(8, true), start = (wide ? 12 : 10) + length;
  const header = new TextDecoder().decode(bytes.subarray(wide ? 12 : 10, start));
  const type = /'descr': *'([^']+)'/.exec(header)?.[1] ?? "", dims = /'shape': *\(([^)]*)\)/.exec(header)?.[1] ?? "";
  const shape = dims.split(",").filter((d) => d.trim()).map(Number);
  const raw = bytes.slice(start); // aligned copy
  const read: Record<string, () => ArrayLike<number>> = {
    "<f8": () => new Float64Array(raw.buffer, 0, raw.byteLength >> 3),
    "<f4": () => new Float32Array(raw.buffer, 0, raw.byteLength >> 2),
    "<i4": () => new Int32Array(raw.buffer, 0, raw.byteLength >> 2),
    "<i8": () => Float64Array.from(new BigInt64Array(raw.buffer, 0, raw.byteLength >> 3), Number),
    "<u8": () => Float64Array.from(new BigUint64Array(raw.buffer, 0, raw.byteLength >> 3), Number),
    "|u1": () => raw,
    "|b1": () => raw,
  };
  const numbers = (read[type] ?? (() => new Float64Array(0)))();
  return { shape, data: numbers instanceof Float64Array ? numbers : Float64Array.from(numbers), raw };
}

/** One archive; members are fetched when they are asked for, once. */
export class Archive {
  private cache = new Map<string, Promise<NpzArray & { raw: Uint8Array }>>();

  private constructor(
    private readonly url: string,
    private readonly members: Map<string, Member>,
    private readonly whole: Uint8Array | null,
    readonly bytes: number,
  ) {}

  static async open(url: string, signal?: AbortSignal, tell?: Tell): Promise<Archive> {
    let reply = await send(url, { headers: { Accept: "application/x-npz", Range: `bytes=-${TAIL}` }, signal });
    let buffer = await bodyOf(reply, tell);
    const range = /bytes (\d+)-\d+\/(\d+)/.exec(reply.headers.get("Content-Range") ?? "");
    if (reply.status === 206 && range) {
      const start = Number(range[1]), total = Number(range[2]), members = readDirectory(new DataView(buffer.buffer), start);
      if (members) return new Archive(url, members, start === 0 ? buffer : null, total);
      reply = await send(url, { headers: { Accept: "application/x-npz" }, signal });
      buffer = await bodyOf(reply, tell);
    }
    const members = readDirectory(new DataView(buffer.buffer), 0);
    if (!members) throw broken("its directory is damaged");
    return new Archive(url, members, buffer, buffer.byteLength);
  }

  /** Of bytes that are there already. */
  static of(bytes: Uint8Array): Archive {
    const members = readDirectory(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
    if (!members) throw broken("its directory is damaged");
    return new Archive("", members, bytes, bytes.byteLength);
  }

  names(): string[] {
    return [...this.members.keys()].filter((name) => name !== "summary");
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  /** Bytes that looking at a member costs. */
  size(name: string): number {
    return this.members.get(name)?.size ?? 0;
  }

  array(name: string): Promise<NpzArray & { raw: Uint8Array }> {
    let found = this.cache.get(name);
    if (!found) {
      found = this.load(name);
      found.catch(() => this.cache.delete(name));
      this.cache.set(name, found);
    }
    return found;
  }

  async summary<T>(): Promise<T> {
    const { raw } = await this.array("summary");
    return JSON.parse(new TextDecoder().decode(raw)) as T;
  }

  private async load(name: string): Promise<NpzArray & { raw: Uint8Array }> {
    const member = this.members.get(name);
    if (!member) throw broken(`it has no "${name}"`);
    const last = member.offset + 30 + 1024 + member.size; // name and alignment are shorter than that
    const local = this.whole ? this.whole.subarray(member.offset) : await this.fetch(member.offset, Math.min(last, this.bytes) - 1);
    const view = new DataView(local.buffer, local.byteOffset, local.byteLength);
    if (view.getUint32(0, true) !== 0x04034b50) throw broken("it changed while it was read");
    const start = 30 + view.getUint16(26, true) + view.getUint16(28, true);
    return readArray(local.subarray(start, start + member.size));
  }

  private async fetch(first: number, last: number): Promise<Uint8Array> {
    const reply = await send(this.url, { headers: { Accept: "application/x-npz", Range: `bytes=${first}-${last}` } });
    const bytes = new Uint8Array(await reply.arrayBuffer());
    return reply.status === 206 ? bytes : bytes.subarray(first, last + 1);
  }
}
