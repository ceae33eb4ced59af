/** A child of the supervisor: the demo apps. Settings come as JSON in OTTO_DEMO. */
import { followSupervisor, report } from "../supervisor/child-channel.ts";
import { keep, readKept } from "../supervisor/state-folder.ts";
import type { BookStore, DemoBook } from "./accounts.ts";
import { startDemoApps } from "./server.ts";

/** What OTTO_DEMO holds. */
export interface DemoSettings {
  readonly port: number;
  readonly apiKey: string;
  /** Where consents and accounts are stored. */
  readonly file: string;
}

const settings = JSON.parse(process.env["OTTO_DEMO"] ?? "") as DemoSettings;
const server = await startDemoApps({ ...settings, store: openStore(settings.file) });
followSupervisor(() => server.close());
report({ type: "ready" });

/** A damaged file is replaced: nothing in it is real. */
function openStore(file: string): BookStore {
  return {
    load() {
      try {
        return JSON.parse(readKept(file) ?? "null") as DemoBook | null;
      } catch {
        return null;
      }
    },
    save(book) {
      try {
        keep(file, JSON.stringify(book));
      } catch {
        report({ type: "problem", message: "the accounts of the demo apps could not be stored" });
      }
    },
  };
}
