/** The settings of one app in memory. */
import { ok } from "../../core/base/errors.ts";
import type { ProviderSettings, RegisteredClient } from "../../core/connections/app-client.ts";
import type { ProviderBook } from "../../core/ports/authorizations.ts";

export interface FakeProviderBook extends ProviderBook {
  settings: ProviderSettings;
}

/** Serves the same settings for every app. */
export function fakeProviderBook(settings: Partial<ProviderSettings>): FakeProviderBook {
  const book: FakeProviderBook = {
    settings: {
      at: null,
      client: null,
      registered: null,
      params: {},
      header: "authorization",

      ...settings,
    },
    find: () => Promise.resolve(ok(book.settings)),
    register: (_app, client, before) => {
      const { registered } = book.settings;
      const stored: RegisteredClient = registered === null || isSame(registered, before) ? client : registered;
      book.settings = { ...book.settings, registered: stored };
      return Promise.resolve(ok(stored));
    },
  };
  return book;
}

function isSame(one: RegisteredClient, other: RegisteredClient | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
