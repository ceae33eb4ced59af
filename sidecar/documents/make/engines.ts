/** The engines that make documents, with the processes behind them. */
import { ok, type Result } from "../../../core/base/errors.ts";
import { type Budget, startBudget } from "../budget.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { DRAW_MS, drawSvgs } from "./draw-svgs.ts";
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

  async function makeStyle(
    format: "docx" | "pptx",
    signal: AbortSignal,
    { leftMs }: Budget,
  ): Promise<Result<Uint8Array>> {
    const input = new TextEncoder().encode("# \n\n");
    const plain = await pandoc({ from: "markdown", to: format, input, signal, timeoutMs: leftMs() });
    return plain.ok ? await maker({ kind: "style", format }, [plain.value.bytes], signal, leftMs()) : plain;
  }

  return async (format, signal, budget = startBudget()) => {
    const known = made.get(format);
    if (known !== undefined) return ok(known);
    const style = await makeStyle(format, signal, budget);
    if (style.ok) made.set(format, style.value);
    return style;
  };
}

/** The same engines, for one document: they have what is left of its time. */
export function enginesWithin(budget: Budget, { pandoc, maker, draw, style }: Engines): Engines {
  return {
    pandoc: async (conversion) => await pandoc({ ...conversion, timeoutMs: budget.leftMs() }),
    maker: async (question, parts, signal) => await maker(question, parts, signal, budget.leftMs()),
    draw: async (svgs, signal) => await draw(svgs, signal, { documentMs: Math.min(DRAW_MS, budget.leftMs()) }),
    style: async (format, signal) => await style(format, signal, budget),
  };
}
