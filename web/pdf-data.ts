/**
 * What pdf.js reads beside its code, under the names that it asks for: character maps of East Asian files, fonts that files
 * name and do not hold, and decoders of scanned pages. Decoders are those in JavaScript: the page's policy compiles no WebAssembly.
 */
import description from "pdfjs-dist/package.json" with { type: "json" };
import type { Plugin } from "vite";

const FOLDERS = [
  { name: "cmaps", wanted: /./ },
  { name: "standard_fonts", wanted: /./ },
  { name: "wasm", wanted: /_nowasm_fallback\.js$|^LICENSE/ },
];

/** Adds the files to a build, at `assets/pdf-<version>/`. Vite's own server has none of them. */
export function pdfData(): Plugin {
  const library = new URL(".", import.meta.resolve("pdfjs-dist/package.json"));
  return {
    name: "pdf-data",
    apply: "build",
    async generateBundle() {
      for (const { name, wanted } of FOLDERS) {
        const folder = decodeURIComponent(new URL(name, library).pathname);
        for (const file of (await this.fs.readdir(folder)).filter((one) => wanted.test(one))) {
          const source = await this.fs.readFile(`${folder}/${file}`);
          this.emitFile({ type: "asset", fileName: `assets/pdf-${description.version}/${name}/${file}`, source });
        }
      }
    },
  };
}
