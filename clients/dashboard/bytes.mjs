// Bytes as a C array. A string of octal escapes: compilers read it in a tenth of the time that a list of numbers takes.

// Standards promise 4095 characters only; compilers of this project have no such limit.
export const PRAGMA = '#pragma GCC diagnostic ignored "-Woverlength-strings"\n';

const escapes = Array.from({ length: 256 }, (_, byte) => `\\${byte.toString(8).padStart(3, "0")}`);

/** `static const unsigned char NAME[N]` of these bytes, without a zero behind them. */
export function array(name, bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 24)
    lines.push(`"${Array.from(bytes.subarray(i, i + 24), (byte) => escapes[byte]).join("")}"`);
  return `static const unsigned char ${name}[${bytes.length}] =\n${lines.join("\n") || '""'};\n`;
}
