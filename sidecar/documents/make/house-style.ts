/** The reference documents of the house: pandoc's own with another look, made once for as long as the sidecar runs. */
import { ok, type Result } from "../../../core/errors.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import type { Engines } from "./make-document.ts";
import type { AskMaker } from "./makers.ts";

export function houseStyle(pandoc: ConvertWithPandoc, maker: AskMaker): Engines["style"] {
  const made = new Map<"docx" | "pptx", Uint8Array>();

  async function makeStyle(format: "docx" | "pptx", signal: AbortSignal): Promise<Result<Uint8Array>> {
    const plain = await pandoc({ from: "markdown", to: format, input: new TextEncoder().encode("# \n\n"), signal });
    return plain.ok ? await maker({ kind: "style", format }, [plain.value.bytes], signal) : plain;
  }

  return async (format, signal) => {
    const known = made.get(format);
    if (known !== undefined) return ok(known);
    const style = await makeStyle(format, signal);
    if (style.ok) made.set(format, style.value);
    return style;
  };
}
