/** What a provider of models is: the record that its folder exports. It imports no package, so that reading the list is cheap. */
import type { ModelPort } from "../../core/ports/model.ts";
import type { ModelAddress } from "./guarded-fetch.ts";

/** An OpenAI-compatible server can speak one of two APIs; the others have one. */
export type ModelApi = "chat" | "responses";

/** A provider of models. Its variables are its name in capitals with `_API_KEY` and `_BASE_URL`. */
export interface ModelProvider {
  /** What an agent writes before the slash: `anthropic/claude-…`. */
  readonly name: Lowercase<string>;
  /** As people write it. */
  readonly label: string;
  /** The address that is called when the variable sets none. */
  readonly defaultBaseUrl: string;
  /** Turns the variable's address, which has no slash at its end, into the one that is called. Absent: they are the same. */
  readonly toBaseUrl?: (address: string) => string;
  /** Loads the provider's code, which may be large, when the first call needs it. */
  readonly load: () => Promise<(address: ModelAddress, api: ModelApi) => ModelPort>;
}
