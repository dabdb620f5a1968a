// A running tendrild for tests in Node: a free port, a folder of its own, and an end.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./bundle.mjs";

const bin = process.env.TENDRIL_BIN ?? join(root, "build/dev/bin");

/** Where a server keeps its rows: in `folder`, or in a schema of its own in the database of with_postgresql.py --servers. */
function storeFlags(folder) {
  if (process.env.TENDRIL_TEST_STORE !== "postgresql") return [];
  const schema = basename(folder).toLowerCase().replaceAll("-", "_");
  const url = `postgresql://postgres@/postgres?${process.env.TENDRIL_TEST_POSTGRESQL}`;
  execFileSync("psql", ["-qX", url, "-c", `SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS ${schema}`]);
  return ["--store", `${url}&options=-csearch_path%3D${schema}`];
}

/** A new token of the server that is to serve `folder`; not while it serves. */
export function createToken(folder, name, scope) {
  const said = execFileSync(join(bin, "tendrild"), ["token", "create", "--data", join(folder, "data"), ...storeFlags(folder), "--name", name, "--scope", scope], { encoding: "utf8" });
  return /tendril_[0-9a-f]+/.exec(said)[0];
}

export async function startServer({ port = 0, folder = mkdtempSync(join(tmpdir(), "tendril-test-")) } = {}) {
  const child = spawn(join(bin, "tendrild"), ["--data", join(folder, "data"), ...storeFlags(folder), "--http", `127.0.0.1:${port}`, "--workers", "1"],
    { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (bytes) => (log = (log + bytes).slice(-20000)));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const line = await Promise.race([
    new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve)), ended]);
  if (typeof line !== "string") throw new Error(`tendrild did not start: ${log}`);
  const url = `http://${JSON.parse(line).http}`;
  const call = async (method, path, body) => {
    const reply = await fetch(url + path, { method, headers: body ? { "Content-Type": "application/json" } : {},
      body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text ? JSON.parse(text) : null;
  };
  return {
    url, folder, call, log: () => log,
    /** Ends it; `keep` leaves the folder for a successor. */
    async stop(keep = false) {
      child.kill("SIGTERM");
      await ended;
      if (!keep) rmSync(folder, { recursive: true, force: true });
      if (/ERROR: AddressSanitizer|runtime error:/.test(log)) throw new Error(`the server's log has a sanitizer's report:\n${log}`);
    },
  };
}
