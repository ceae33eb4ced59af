/** The places of the console, in the order of the menu. */
import {
  Activity,
  BookOpen,
  Brain,
  Cable,
  CalendarClock,
  ChartColumn,
  CodeXml,
  Contact,
  Database,
  Files,
  Gauge,
  Hammer,
  Inbox,
  LayoutGrid,
  KeyRound,
  ListChecks,
  Mail,
  Lock,
  type LucideIcon,
  MessagesSquare,
  Plug,
  ScrollText,
  Send,
  UserCog,
  Webhook,
} from "lucide-react";

interface Place {
  readonly to: string;
  readonly label: string;
  readonly Icon: LucideIcon;
}

export const PLACES: readonly { readonly title: string; readonly places: readonly Place[] }[] = [
  {
    title: "Work",
    places: [
      { to: "/tasks", label: "Tasks", Icon: ListChecks },
      { to: "/inbox", label: "Inbox", Icon: Inbox },
    ],
  },
  {
    title: "Build",
    places: [
      { to: "/agents", label: "Agents", Icon: UserCog },
      { to: "/tools", label: "Tools", Icon: Hammer },
      { to: "/skills", label: "Skills", Icon: BookOpen },
      { to: "/mcp-servers", label: "MCP servers", Icon: Plug },
      { to: "/apps", label: "Apps", Icon: LayoutGrid },
      { to: "/connections", label: "Connections", Icon: Cable },
    ],
  },
  {
    title: "Knowledge",
    places: [
      { to: "/memory", label: "Memory", Icon: Brain },
      { to: "/documents", label: "Documents", Icon: Files },
      { to: "/code", label: "Code", Icon: CodeXml },
      { to: "/databases", label: "Databases", Icon: Database },
    ],
  },
  {
    title: "Reach",
    places: [
      { to: "/people", label: "People", Icon: Contact },
      { to: "/schedules", label: "Schedules", Icon: CalendarClock },
      { to: "/webhooks", label: "Webhooks", Icon: Webhook },
      { to: "/deliveries", label: "Deliveries", Icon: Send },
      { to: "/slack", label: "Slack", Icon: MessagesSquare },
      { to: "/mail", label: "Mail", Icon: Mail },
    ],
  },
  {
    title: "Settings",
    places: [
      { to: "/usage", label: "Usage", Icon: ChartColumn },
      { to: "/limits", label: "Limits", Icon: Gauge },
      { to: "/keys", label: "Keys", Icon: KeyRound },
      { to: "/secrets", label: "Secrets", Icon: Lock },
      { to: "/audit", label: "Audit", Icon: ScrollText },
      { to: "/system", label: "System", Icon: Activity },
    ],
  },
];
