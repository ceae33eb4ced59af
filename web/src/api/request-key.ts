/** Names under which a request that makes something may be sent twice and makes it once. */
import { useMemo, useRef } from "react";
import { isSpent, newRequestKey, once } from "./client.ts";

interface RequestKey {
  /**
   * The headers of a body: the same for the same body, so that a press twice or a try again makes one thing. After a refusal
   * others, because the API would repeat it, whatever has changed meanwhile.
   */
  readonly headersFor: (body: unknown) => Record<string, string>;
  /** What was asked for is made: the same body again is a further thing. */
  readonly renew: () => void;
}

export function useRequestKey(): RequestKey {
  const kept = useRef<{ readonly body: string; readonly key: string } | null>(null);
  return useMemo(
    () => ({
      headersFor: (body) => {
        const text = JSON.stringify(body);
        if (kept.current?.body !== text || isSpent(kept.current.key))
          kept.current = { body: text, key: newRequestKey() };
        return once(kept.current.key);
      },
      renew: () => {
        kept.current = null;
      },
    }),
    [],
  );
}
