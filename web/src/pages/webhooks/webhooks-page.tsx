/** Webhooks both ways: where events go out to, and where calls come in. */
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { buttonClasses } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { IncomingList } from "./incoming-list.tsx";
import { NewIncoming } from "./new-incoming.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { OutgoingList } from "./outgoing-list.tsx";

const route = getRouteApi("/console/webhooks");

export function WebhooksPage() {
  const { view, make = false } = route.useSearch();
  const isIncoming = view === "incoming";
  const link = (
    <Link
      to="/webhooks"
      search={isIncoming ? { view: "incoming", make: true } : { make: true }}
      className={buttonClasses("primary")}
    >
      <Plus aria-hidden className="size-4" />
      {isIncoming ? "New incoming webhook" : "New webhook"}
    </Link>
  );
  return (
    <Page
      title={make ? (isIncoming ? "New incoming webhook" : "New webhook") : "Webhooks"}
      lead={
        isIncoming
          ? "Programs outside call Otto at an address, and each call becomes a task or indexes codebases."
          : "Otto tells your programs what happens to tasks, by signed requests that are tried again for three days."
      }
      actions={make ? undefined : link}
    >
      <Tabs
        label="Directions"
        tabs={[
          { label: "Going out", link: { to: "/webhooks", search: {} }, isCurrent: !isIncoming },
          { label: "Coming in", link: { to: "/webhooks", search: { view: "incoming" } }, isCurrent: isIncoming },
        ]}
      />
      {isIncoming ? make ? <NewIncoming /> : <IncomingList add={link} /> : null}
      {isIncoming ? null : make ? <NewWebhook /> : <OutgoingList add={link} />}
    </Page>
  );
}
