import { Name } from "../ui/name.tsx";
import { oneLine } from "../ui/visible-text.ts";
import type { AccountWords } from "./account-words.ts";

/** As long as the API's labels are. */
const MOST = 200;

/** "ana@acme.example (Ana)": the account of a call, and whose it is. */
export function AccountName({ words: { label, owner } }: { readonly words: AccountWords }) {
  return (
    <>
      <Name>{oneLine(label, MOST)}</Name> ({owner === null ? "shared" : <Name>{oneLine(owner, MOST)}</Name>})
    </>
  );
}
