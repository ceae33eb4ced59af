/** Where calls stand in the ledger: their ids end with their step and their place in it. */

/** Greater than every place of a call in its step. */
const BEHIND_ALL = 999_999;

/** A place of the list after which the call comes first; null for what is no call's id. */
export function placeBefore(callId: string): string | null {
  const [, head, step, index] = /^(call_[0-9a-z]+)_(\d{1,6})_(\d{1,6})$/.exec(callId) ?? [];
  if (head === undefined || Number(step) === 0) return null;
  return Number(index) > 0 ? `${head}_${step}_${Number(index) - 1}` : `${head}_${Number(step) - 1}_${BEHIND_ALL}`;
}
