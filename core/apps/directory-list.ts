/**
 * The apps of the directory: those whose makers run an MCP server with OAuth. The facts are from public documents, which
 * `document` names; the descriptions are ours. No entry was tried: connecting one is the check.
 */
import type { DirectoryApp } from "./directory.ts";

/** When the documents were read. */
const CHECKED_ON = "2026-11-28";

type Row = Omit<DirectoryApp, "app" | "checkedOn"> & { readonly slug: string };

const ROWS: readonly Row[] = [
  {
    slug: "airtable",
    title: "Airtable",
    description: "Reads and writes bases, tables and records.",
    url: "https://mcp.airtable.com/mcp",
    categories: ["Databases"],
    registers: null,
    document:
      "https://github.com/jaw9c/awesome-remote-mcp-servers/blob/302ea1c4a9f185a823e3f5fe7991b93a851ec565/README.md",
  },
  {
    slug: "amplitude",
    title: "Amplitude",
    description: "Queries charts, cohorts and experiments of product analytics.",
    url: "https://mcp.amplitude.com/mcp",
    categories: ["Analytics"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/amplitude-mcp.mdx",
  },
  {
    slug: "apify",
    title: "Apify",
    description: "Runs scrapers and automations of its store, and reads their results.",
    url: "https://mcp.apify.com",
    categories: ["Search", "Developer tools"],
    registers: null,
    document: "https://github.com/apify/apify-mcp-server/blob/91ee491b7337575f8ba747ad7b39d64815659d4c/README.md",
  },
  {
    slug: "atlassian",
    title: "Atlassian",
    description: "Works with issues in Jira, pages in Confluence and components in Compass.",
    url: "https://mcp.atlassian.com/v1/mcp",
    categories: ["Project management", "Documents"],
    registers: null,
    document:
      "https://github.com/atlassian/atlassian-mcp-server/blob/94a30436435fb526a29f820f5f46250870eb75a0/README.md",
  },
  {
    slug: "attio",
    title: "Attio",
    description: "Reads and updates the records, lists and notes of a CRM.",
    url: "https://mcp.attio.com/mcp",
    categories: ["CRM"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/attio-mcp.mdx",
  },
  {
    slug: "buildkite",
    title: "Buildkite",
    description: "Reads pipelines, builds, jobs and their logs, and starts builds.",
    url: "https://mcp.buildkite.com/mcp",
    categories: ["Developer tools"],
    registers: null,
    document:
      "https://github.com/buildkite/docs/blob/35cf0294c6ea68f41d90da114120d73278f6fc0b/pages/apis/mcp_server.md",
  },
  {
    slug: "carbon-voice",
    title: "Carbon Voice",
    description: "Reads and sends voice messages and their transcripts.",
    url: "https://mcp.carbonvoice.app",
    categories: ["Team chat"],
    registers: null,
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/carbon-voice/server.yaml",
  },
  {
    slug: "circleback",
    title: "Circleback",
    description: "Searches the notes, transcripts and tasks of meetings.",
    url: "https://app.circleback.ai/api/mcp",
    categories: ["Meetings"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/circleback-mcp.mdx",
  },
  {
    slug: "cloudflare-observability",
    title: "Cloudflare Observability",
    description: "Searches logs and metrics of Workers.",
    url: "https://observability.mcp.cloudflare.com/mcp",
    categories: ["Cloud", "Monitoring"],
    registers: null,
    document:
      "https://github.com/cloudflare/mcp-server-cloudflare/blob/70ff690553722f731849ede6ba9ce98958395a23/README.md",
  },
  {
    slug: "cloudflare-bindings",
    title: "Cloudflare Workers",
    description: "Manages Workers and their storage: KV, R2, D1 and Hyperdrive.",
    url: "https://bindings.mcp.cloudflare.com/mcp",
    categories: ["Cloud", "Developer tools"],
    registers: null,
    document:
      "https://github.com/cloudflare/mcp-server-cloudflare/blob/70ff690553722f731849ede6ba9ce98958395a23/README.md",
  },
  {
    slug: "digits",
    title: "Digits",
    description: "Reads the accounts, transactions and reports of a company's books.",
    url: "https://api.digits.com/mcp",
    categories: ["Accounting"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/digits-mcp.mdx",
  },
  {
    slug: "fireflies",
    title: "Fireflies",
    description: "Searches the transcripts and summaries of meetings.",
    url: "https://api.fireflies.ai/mcp",
    categories: ["Meetings"],
    registers: null,
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/firefly/server.yaml",
  },
  {
    slug: "globalping",
    title: "Globalping",
    description: "Measures the network from places in many countries: ping, traceroute, DNS and HTTP.",
    url: "https://mcp.globalping.dev/mcp",
    categories: ["Monitoring", "Developer tools"],
    registers: null,
    document:
      "https://github.com/jsdelivr/globalping-mcp-server/blob/8db712308b0727144f6f5352a81ec6ded8c8c700/README.md",
  },
  {
    slug: "grafbase",
    title: "Grafbase",
    description: "Explores and queries a federated GraphQL API.",
    url: "https://api.grafbase.com/mcp",
    categories: ["Developer tools"],
    registers: null,
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/grafbase/server.yaml",
  },
  {
    slug: "granola",
    title: "Granola",
    description: "Searches the notes of meetings.",
    url: "https://mcp.granola.ai/mcp",
    categories: ["Meetings"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/granola-mcp.mdx",
  },
  {
    slug: "hugging-face",
    title: "Hugging Face",
    description: "Searches models, data sets, papers and spaces, and runs tools of spaces.",
    url: "https://huggingface.co/mcp?login",
    categories: ["Machine learning"],
    registers: null,
    document: "https://github.com/huggingface/hf-mcp-server/blob/e83f335036b3e42f93787f2e8df0c0af72b1fd43/README.md",
  },
  {
    slug: "incident-io",
    title: "incident.io",
    description: "Reads incidents, alerts and on-call schedules, and updates incidents.",
    url: "https://mcp.incident.io/mcp",
    categories: ["Monitoring"],
    registers: null,
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/incident-io/server.yaml",
  },
  {
    slug: "instant",
    title: "Instant",
    description: "Creates apps with a database, and changes their schema and rules.",
    url: "https://mcp.instantdb.com/mcp",
    categories: ["Databases", "Developer tools"],
    registers: null,
    document:
      "https://github.com/instantdb/instant/blob/a4d2ef33b60f281a437191006e4541d4780f9e4a/client/packages/mcp/README.md",
  },
  {
    slug: "jam",
    title: "Jam",
    description: "Reads bug reports with their videos, console logs and network requests.",
    url: "https://mcp.jam.dev/mcp",
    categories: ["Developer tools"],
    registers: null,
    document:
      "https://github.com/jaw9c/awesome-remote-mcp-servers/blob/302ea1c4a9f185a823e3f5fe7991b93a851ec565/README.md",
  },
  {
    slug: "linear",
    title: "Linear",
    description: "Finds, creates and updates issues, projects and comments.",
    url: "https://mcp.linear.app/mcp",
    categories: ["Project management", "Developer tools"],
    registers: "dynamic",
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/linear/server.yaml",
  },
  {
    slug: "miro",
    title: "Miro",
    description: "Reads and draws boards and diagrams.",
    url: "https://mcp.miro.com/",
    categories: ["Design", "Documents"],
    registers: null,
    document: "https://github.com/miroapp/miro-ai/blob/85c2c7347542b3ce185eb1d2793f8d79ad485c63/README.md",
  },
  {
    slug: "monday",
    title: "monday.com",
    description: "Works with boards, items and updates.",
    url: "https://mcp.monday.com/mcp",
    categories: ["Project management"],
    registers: null,
    document: "https://github.com/mondaycom/mcp/blob/cd3690e5a6d860da53fb13089b6048490b468716/README.md",
  },
  {
    slug: "morningstar",
    title: "Morningstar",
    description: "Reads investment data, research and ratings.",
    url: "https://mcp.morningstar.com/mcp",
    categories: ["Finance"],
    registers: null,
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/morningstar-mcp-server/server.yaml",
  },
  {
    slug: "neon",
    title: "Neon",
    description: "Manages Postgres projects and branches, and runs SQL on them.",
    url: "https://mcp.neon.tech/mcp",
    categories: ["Databases", "Developer tools"],
    registers: null,
    document: "https://github.com/neondatabase/mcp-server-neon/blob/94928121944167d82d9b2b865bcdc5469631557d/README.md",
  },
  {
    slug: "netlify",
    title: "Netlify",
    description: "Creates, deploys and manages web sites.",
    url: "https://netlify-mcp.netlify.app/mcp",
    categories: ["Cloud", "Developer tools"],
    registers: null,
    document:
      "https://github.com/jaw9c/awesome-remote-mcp-servers/blob/302ea1c4a9f185a823e3f5fe7991b93a851ec565/README.md",
  },
  {
    slug: "notion",
    title: "Notion",
    description: "Searches, reads and writes pages and databases.",
    url: "https://mcp.notion.com/mcp",
    categories: ["Documents", "Project management"],
    registers: "dynamic",
    document: "https://developers.notion.com/guides/mcp/build-mcp-client.md",
  },
  {
    slug: "postman",
    title: "Postman",
    description: "Works with the collections, environments and APIs of a workspace.",
    url: "https://mcp.postman.com/mcp",
    categories: ["Developer tools"],
    registers: null,
    document:
      "https://github.com/postmanlabs/postman-mcp-server/blob/e1191a57a812c6e0e73eacd6eb1b62708329adb0/README.md",
  },
  {
    slug: "prisma-postgres",
    title: "Prisma Postgres",
    description: "Creates and manages Postgres databases, their backups and connection strings.",
    url: "https://mcp.prisma.io/mcp",
    categories: ["Databases", "Developer tools"],
    registers: null,
    document: "https://github.com/prisma/mcp/blob/798c371db42bdb8caa7572d5656c1e3e5b204dd7/README.md",
  },
  {
    slug: "pulumi",
    title: "Pulumi",
    description: "Reads stacks and resources, and plans changes of infrastructure.",
    url: "https://mcp.ai.pulumi.com/mcp",
    categories: ["Cloud", "Developer tools"],
    registers: null,
    document:
      "https://github.com/docker/mcp-registry/blob/818bf169b365e7b7d5b117352e32757c54844718/servers/pulumi-remote/server.yaml",
  },
  {
    slug: "railway",
    title: "Railway",
    description: "Deploys and manages services, and reads their logs.",
    url: "https://mcp.railway.com",
    categories: ["Cloud", "Developer tools"],
    registers: null,
    document:
      "https://github.com/railwayapp/docs/blob/c2a634f1b3891ac2947c2e875006d986748860a5/content/docs/cli/mcp.md",
  },
  {
    slug: "ramp",
    title: "Ramp",
    description: "Reads the spend, bills and reimbursements of a company.",
    url: "https://ramp-mcp-remote.ramp.com/mcp",
    categories: ["Accounting", "Finance"],
    registers: null,
    document:
      "https://github.com/jaw9c/awesome-remote-mcp-servers/blob/302ea1c4a9f185a823e3f5fe7991b93a851ec565/README.md",
  },
  {
    slug: "sanity",
    title: "Sanity",
    description: "Reads and edits content, its schemas and its releases.",
    url: "https://mcp.sanity.io",
    categories: ["Content management"],
    registers: "dynamic",
    document: "https://github.com/sanity-io/sanity-mcp-server/blob/19f204e9c9e5d858c11396f01d156216706cc040/README.md",
  },
  {
    slug: "sentry",
    title: "Sentry",
    description: "Finds and analyses errors, traces and releases.",
    url: "https://mcp.sentry.dev/mcp",
    categories: ["Monitoring", "Developer tools"],
    registers: null,
    document: "https://github.com/getsentry/sentry-mcp/blob/4a109327ef3cc3b20b36ac18edbce68d37010565/README.md",
  },
  {
    slug: "simplescraper",
    title: "Simplescraper",
    description: "Extracts structured data from web pages.",
    url: "https://mcp.simplescraper.io/mcp",
    categories: ["Search"],
    registers: null,
    document:
      "https://github.com/jaw9c/awesome-remote-mcp-servers/blob/302ea1c4a9f185a823e3f5fe7991b93a851ec565/README.md",
  },
  {
    slug: "stripe",
    title: "Stripe",
    description: "Works with customers, payments, invoices and subscriptions.",
    url: "https://mcp.stripe.com",
    categories: ["Payments"],
    registers: null,
    document: "https://github.com/stripe/ai/blob/bad904b02f7071592c38bcca83d33667ff015bb1/README.md",
  },
  {
    slug: "supabase",
    title: "Supabase",
    description: "Manages projects, tables and functions, and runs SQL.",
    url: "https://mcp.supabase.com/mcp",
    categories: ["Databases", "Developer tools"],
    registers: "dynamic",
    document:
      "https://github.com/supabase-community/supabase-mcp/blob/17fb90f8655ad1ce7ee320614d22eb68bb26e510/README.md",
  },
  {
    slug: "superhuman",
    title: "Superhuman",
    description: "Reads, drafts and sends mail.",
    url: "https://mcp.mail.superhuman.com/mcp",
    categories: ["Email"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/superhuman-mcp.mdx",
  },
  {
    slug: "thoughtspot",
    title: "ThoughtSpot",
    description: "Answers questions about business data, and makes charts and boards.",
    url: "https://agent.thoughtspot.app/mcp",
    categories: ["Analytics"],
    registers: "dynamic",
    document: "https://github.com/thoughtspot/mcp-server/blob/9dad8b5f3921dcc07595075789e2b3a1e1d97f01/server.json",
  },
  {
    slug: "todoist",
    title: "Todoist",
    description: "Finds, creates and completes tasks and projects.",
    url: "https://ai.todoist.net/mcp",
    categories: ["Tasks"],
    registers: null,
    document: "https://github.com/Doist/todoist-ai/blob/573cfb0914994340c9e86d5f00a48b072fa18b18/README.md",
  },
  {
    slug: "wordpress-com",
    title: "WordPress.com",
    description: "Reads and manages sites, posts and their statistics.",
    url: "https://public-api.wordpress.com/wpcom/v2/mcp/v1",
    categories: ["Content management"],
    registers: "dynamic",
    document:
      "https://github.com/NangoHQ/nango/blob/2f4c0af671e2ca1c43dd4e78f3c369218bf3fc87/docs/api-integrations/wordpress-mcp.mdx",
  },
];

/** By title. The ending of a name tells an app of the directory from one of the catalogue. */
export const DIRECTORY: readonly DirectoryApp[] = ROWS.map(({ slug, ...row }) => {
  return { ...row, app: `${slug}-mcp`, checkedOn: CHECKED_ON };
});
