// The replay: everything in one script and one sheet, which embed_replay.mjs puts into a page.
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "dist-replay",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    lib: { entry: "src/replay.tsx", formats: ["iife"], name: "replay", fileName: () => "replay.js" },
    rollupOptions: { output: { inlineDynamicImports: true, assetFileNames: "replay[extname]" } },
  },
});
