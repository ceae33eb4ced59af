import { Link } from "@tanstack/react-router";
import type { ConnectedApp, MarketplaceApp } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Name } from "../../ui/name.tsx";
import { AppTile } from "./app-tile.tsx";
import { formatSize, findStateWording } from "./app-words.ts";

type ShownApp = MarketplaceApp | ConnectedApp;

/** Apps as cards, each a link to its page. */
export function AppList({ apps, label }: { readonly apps: readonly ShownApp[]; readonly label: string }) {
  return (
    <ul aria-label={label} className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {apps.map((app) => (
        <li
          key={app.app_name}
          className="relative flex min-w-0 gap-3 rounded-lg border border-line bg-surface p-3 hover:bg-hover"
        >
          <AppTile title={app.display_name} logo={app.logo_url} />
          <div className="flex min-w-0 flex-1 flex-col gap-1">
            <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
              <AppLink app={app} />
              <State app={app} />
            </div>
            {app.description === "" ? null : (
              <p dir="auto" className="line-clamp-2 text-sm text-quiet">
                <Name>{app.description}</Name>
              </p>
            )}
            {isListed(app) ? <p className="text-sm text-quiet">{formatSize(app)}</p> : null}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** An own app has no page in the catalogue: its accounts are under Connections. */
function AppLink({ app }: { readonly app: ShownApp }) {
  const look = "min-w-0 font-semibold [overflow-wrap:anywhere] after:absolute after:inset-0 after:content-['']";
  const title = <Name>{app.display_name}</Name>;
  return isListed(app) ? (
    <Link to="/apps/$app" params={{ app: app.app_name }} className={look}>
      {title}
    </Link>
  ) : (
    <Link to="/connections" className={look}>
      {title}
    </Link>
  );
}

function State({ app }: { readonly app: ShownApp }) {
  const said = findStateWording(app);
  return said === null ? null : <Badge tone={said.tone}>{said.word}</Badge>;
}

function isListed(app: ShownApp): boolean {
  return !("is_listed" in app) || app.is_listed;
}
