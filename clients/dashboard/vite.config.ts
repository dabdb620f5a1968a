// The bundle: one page, no request but to the server that it came from. `npm run dev` passes the API on to a server on
// 8080.
import { defineConfig } from "vite";
import { docs } from "./docs";

export default defineConfig({
  base: "/",
  plugins: [docs()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rollupOptions: { output: { entryFileNames: "assets/[name]-[hash].js", chunkFileNames: "assets/[name]-[hash].js" } },
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8080", "/readyz": "http://127.0.0.1:8080", "/openapi.json": "http://127.0.0.1:8080" } },
});
