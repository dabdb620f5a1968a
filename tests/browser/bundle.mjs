// What tests need of the dashboard's TypeScript, bundled for Node with the packages of the build folder.
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { mkdtempSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const source = process.env.TENDRIL_SOURCE ?? new URL("../..", import.meta.url).pathname;
export const root = source;
/** require() that finds the packages npm installed for the build. */
export const packages = createRequire(join(process.env.TENDRIL_DASHBOARD ?? join(source, "clients/dashboard"), "package.json"));

/** Imports src/ENTRY of the dashboard, of several all that they export. */
export async function load(...entries) {
  const outfile = join(mkdtempSync(join(tmpdir(), "tendril-ts-")), "bundle.mjs");
  const modules = join(dirname(packages.resolve("esbuild/package.json")), "..");
  await packages("esbuild").build({
    stdin: { contents: entries.map((e) => `export * from "./${e}";`).join("\n"), resolveDir: join(source, "clients/dashboard/src") },
    outfile, nodePaths: [modules], bundle: true, format: "esm", platform: "neutral", target: "es2022", logLevel: "error",
  });
  return import(pathToFileURL(outfile));
}
