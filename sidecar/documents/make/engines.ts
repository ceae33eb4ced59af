/** Opens the engines that make documents, and their processes. */
import { ok, type Result } from "../../../core/base/errors.ts";
import { type Budget, startBudget } from "../budget.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { DRAW_MS, drawSvgs } from "./draw-svgs.ts";
import type { Engines } from "./make-document.ts";
import { type AskMaker, makeMakerPool } from "./makers.ts";

/** `close` stops the makers' processes and their running work. The caller closes pandoc. */
export interface OpenEngines extends Engines {
  close(): void;
}

/** Processes start with the first document. */
export function openEngines(pandoc: ConvertWithPandoc): OpenEngines {
  const makers = makeMakerPool();
  return {
    pandoc,
    maker: makers.ask,
    draw: drawSvgs,
    style: makeStyleProvider(pandoc, makers.ask),
    close: () => makers.close(),
  };
}

/** Provides Otto's reference documents: pandoc's own, restyled once and cached while the engines are open. */
function makeStyleProvider(pandoc: ConvertWithPandoc, maker: AskMaker): Engines["style"] {
  const styles = new Map<"docx" | "pptx", Uint8Array>();

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
    const known = styles.get(format);
    if (known !== undefined) return ok(known);
    const style = await makeStyle(format, signal, budget);
    if (style.ok) styles.set(format, style.value);
    return style;
  };
}

/** Limits the engines to the remaining time of one document. */
export function limitEngines(budget: Budget, { pandoc, maker, draw, style }: Engines): Engines {
  return {
    pandoc: async (conversion) => await pandoc({ ...conversion, timeoutMs: budget.leftMs() }),
    maker: async (question, parts, signal) => await maker(question, parts, signal, budget.leftMs()),
    draw: async (svgs, signal) => await draw(svgs, signal, { documentMs: Math.min(DRAW_MS, budget.leftMs()) }),
    style: async (format, signal) => await style(format, signal, budget),
  };
}
