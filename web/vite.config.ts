/** How the console is built: into `web/dist`, which the Worker serves. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { pdfData } from "./pdf-data.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), pdfData()],
  resolve: {
    alias: {
      // React's interface by Preact: half of the first load was React's own (decision 0190).
      "react-dom/client": "preact/compat/client",
      "react-dom": "preact/compat",
      "react/jsx-runtime": "preact/jsx-runtime",
      react: "preact/compat",
      // Markdown reads `&nbsp;` with it. Its form for browsers sets innerHTML, which the page's policy refuses with an error.
      "decode-named-character-reference": decodeURIComponent(
        new URL(import.meta.resolve("decode-named-character-reference")).pathname,
      ),
    },
  },
  build: {
    // What Chromium, Firefox and Safari of 2024 run.
    target: "es2023",
    // A data: address for a font or a worker would have to be allowed by the page's policy.
    assetsInlineLimit: 0,
    // The page itself is what a first visit waits for: it names its chunks and no more.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // Every page talks to the API of the address it came from, which the API compares with the request's `Origin`.
  server: {
    proxy: { "/v1": { target: `http://localhost:${process.env["PORT"] ?? "8787"}`, changeOrigin: false } },
  },
});
