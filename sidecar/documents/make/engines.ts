/** The engines that make documents, with the processes behind them. */
import { ok, type Result } from "../../../core/errors.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { drawSvgs } from "./draw-svgs.ts";
import type { Engines } from "./make-document.ts";
import { type AskMaker, makeMakerPool } from "./makers.ts";

/** `close` ends the processes of the makers, and the work under way with them; pandoc's are whoever's gave it. */
export interface OpenEngines extends Engines {
  close(): void;
}

/** Processes start with the first work. */
export function openEngines(pandoc: ConvertWithPandoc): OpenEngines {
  const makers = makeMakerPool();
  return {
    pandoc,
    maker: makers.ask,
    draw: drawSvgs,
    style: houseStyle(pandoc, makers.ask),
    close: () => makers.close(),
  };
}

/** The reference documents of the house: pandoc's own with another look, made once for as long as the engines are open. */
function houseStyle(pandoc: ConvertWithPandoc, maker: AskMaker): Engines["style"] {
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
