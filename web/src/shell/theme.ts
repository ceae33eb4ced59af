/** Light, dark, or as the system has it. public/theme.js reads the choice before the first paint. */

export type Theme = "system" | "light" | "dark";

const STORED = "otto.theme";

export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    if (theme === "system") localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, theme);
  } catch {
    // Storage is switched off: the choice holds until the page is left.
  }
}
