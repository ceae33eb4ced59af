import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { readShortInbox } from "../api/inbox.ts";
import { type Known, type News, newsOf } from "./inbox-news.ts";
import { useNotificationChoice } from "./notification-choice.ts";

/** How often a hidden window looks, which has let go of the live feed. */
const READ_AGAIN_MS = 30_000;
/** Entries that are looked at, the newest: a page of the API. */
const LOOKED_AT = 100;

/** Tells of what waits while the window is hidden, where somebody wanted it. It says what kind of thing, never what is in it. */
export function useInboxNotifications(): void {
  const isOn = useNotificationChoice() === "on";
  const navigate = useNavigate();
  const known = useRef<Known | null>(null);
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ["inbox", "news"],
    queryFn: async () => await readShortInbox({ limit: LOOKED_AT, order: "newest" }),
    enabled: isOn,
    // A retry would wait until the window is seen again; the next interval reads anyway.
    retry: false,
    refetchInterval: READ_AGAIN_MS,
    refetchIntervalInBackground: true,
  });
  useEffect(() => {
    if (!isOn) known.current = null;
  }, [isOn]);
  useEffect(() => {
    if (!isOn || data === undefined) return;
    const update = newsOf(known.current, { newest: data.data, isCut: data.next_cursor !== null }, dataUpdatedAt);
    known.current = update.known;
    if (document.visibilityState !== "hidden") return;
    const open = ({ entry }: News): void => {
      window.focus();
      void navigate({ to: "/inbox", search: { order: "newest", ...(entry === null ? {} : { entry }) } });
    };
    for (const news of update.news) show(news, open);
  }, [isOn, data, dataUpdatedAt, navigate]);
}

function show(news: News, open: (news: News) => void): void {
  try {
    const shown = new Notification(news.title, {
      tag: news.tag,
      body: "Press to decide it in Otto.",
      icon: "/favicon.svg",
    });
    shown.addEventListener("click", () => {
      shown.close();
      open(news);
    });
  } catch {
    // Chrome on Android has the constructor, and throws: https://developer.mozilla.org/docs/Web/API/Notification/Notification
  }
}
