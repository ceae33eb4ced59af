// Runs before the first paint, so that no page flashes in the other theme. src/shell/theme.ts writes what it reads.
try {
  const chosen = localStorage.getItem("otto.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is switched off: the system's own theme holds.
}
