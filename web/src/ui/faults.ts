/** What is wrong with a form, field by field, as the API names the fields: `addresses.0.address`. */

export type Faults = Readonly<Record<string, string>>;

/** What is wrong with a field, or with anything in it. */
export function faultIn(faults: Faults, field: string): string | undefined {
  const at = Object.keys(faults).find((name) => name === field || name.startsWith(`${field}.`));
  return at === undefined ? undefined : faults[at];
}

/** Puts the focus to the first field that is at fault, once it says so. */
export function focusFault(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>("[aria-invalid]");
    field?.closest("details")?.setAttribute("open", "");
    field?.focus();
  });
}
