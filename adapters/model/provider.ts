/** The record that a model provider's folder exports. Imports no package, so that reading the list is cheap. */
import type { ModelPort } from "../../core/ports/model.ts";
import type { ModelAddress } from "./guarded-fetch.ts";

/** An OpenAI-compatible server can offer either of two APIs; the others have one. */
export type ModelApi = "chat" | "responses";

/** A model provider. Its variables are its name in capitals with `_API_KEY` and `_BASE_URL`. */
export interface ModelProvider {
  /** The part of a model's name before the slash: `anthropic/claude-…`. */
  readonly name: Lowercase<string>;
  /** The name for people. */
  readonly label: string;
  /** The base URL if the variable is unset. */
  readonly defaultBaseUrl: string;
  /**
   * Converts the variable's base URL, which has no trailing slash, to the one that is called. Absent if they are equal.
   */
  readonly toBaseUrl?: (address: string) => string;
  /** Loads the provider's code, which may be large, with the first call. */
  readonly load: () => Promise<(address: ModelAddress, api: ModelApi) => ModelPort>;
}
