/** The fields of business in which demo apps work: what they are called, and the things that their actions handle. */

export interface Category {
  readonly id: string;
  readonly name: string;
  /** The last part of a made name, unique to the category. */
  readonly suffix: string;
  /** In the singular, as parts of an action's name. */
  readonly nouns: readonly [string, ...string[]];
}

export const CATEGORIES: readonly [Category, ...Category[]] = [
  {
    id: "crm",
    name: "CRM",
    suffix: "CRM",
    nouns: ["CONTACT", "COMPANY", "DEAL", "LEAD", "PIPELINE", "NOTE", "ACTIVITY"],
  },
  { id: "email", name: "Email", suffix: "Mail", nouns: ["MESSAGE", "DRAFT", "THREAD", "LABEL", "FILTER", "MAILBOX"] },
  {
    id: "team-chat",
    name: "Team chat",
    suffix: "Chat",
    nouns: ["MESSAGE", "CHANNEL", "CONVERSATION", "USER", "REACTION", "FILE"],
  },
  {
    id: "project-management",
    name: "Project management",
    suffix: "Projects",
    nouns: ["TASK", "PROJECT", "SECTION", "MILESTONE", "COMMENT", "TAG", "TIME_ENTRY"],
  },
  {
    id: "developer-tools",
    name: "Developer tools",
    suffix: "Forge",
    nouns: [
      "REPOSITORY",
      "ISSUE",
      "PULL_REQUEST",
      "BRANCH",
      "COMMIT",
      "RELEASE",
      "WORKFLOW",
      "TEAM",
      "GIST",
      "WEBHOOK",
    ],
  },
  {
    id: "accounting",
    name: "Accounting",
    suffix: "Books",
    nouns: ["INVOICE", "BILL", "ACCOUNT", "PAYMENT", "JOURNAL_ENTRY", "TAX_RATE", "VENDOR"],
  },
  {
    id: "ecommerce",
    name: "E-commerce",
    suffix: "Store",
    nouns: ["PRODUCT", "ORDER", "CUSTOMER", "CART", "COUPON", "SHIPMENT", "VARIANT"],
  },
  {
    id: "payments",
    name: "Payments",
    suffix: "Pay",
    nouns: ["CHARGE", "REFUND", "SUBSCRIPTION", "CUSTOMER", "PAYOUT", "PRICE", "DISPUTE"],
  },
  {
    id: "customer-support",
    name: "Customer support",
    suffix: "Desk",
    nouns: ["TICKET", "AGENT", "MACRO", "CUSTOMER", "ARTICLE", "SATISFACTION_RATING"],
  },
  {
    id: "marketing",
    name: "Marketing automation",
    suffix: "Reach",
    nouns: ["CAMPAIGN", "AUDIENCE", "SUBSCRIBER", "TEMPLATE", "SEGMENT", "AUTOMATION"],
  },
  {
    id: "analytics",
    name: "Analytics",
    suffix: "Metrics",
    nouns: ["EVENT", "FUNNEL", "COHORT", "DASHBOARD", "REPORT", "PROPERTY"],
  },
  {
    id: "hr",
    name: "Human resources",
    suffix: "People",
    nouns: ["EMPLOYEE", "TIME_OFF_REQUEST", "JOB", "CANDIDATE", "DEPARTMENT", "PAYROLL_RUN"],
  },
  {
    id: "calendar",
    name: "Scheduling",
    suffix: "Calendar",
    nouns: ["EVENT", "AVAILABILITY", "BOOKING", "INVITEE", "CALENDAR", "REMINDER"],
  },
  {
    id: "documents",
    name: "Documents",
    suffix: "Docs",
    nouns: ["DOCUMENT", "PAGE", "BLOCK", "COMMENT", "TEMPLATE", "WORKSPACE"],
  },
  {
    id: "storage",
    name: "File storage",
    suffix: "Drive",
    nouns: ["FILE", "FOLDER", "SHARED_LINK", "VERSION", "COMMENT", "PERMISSION"],
  },
  { id: "databases", name: "Databases", suffix: "Base", nouns: ["RECORD", "TABLE", "VIEW", "FIELD", "QUERY", "INDEX"] },
  {
    id: "forms",
    name: "Forms and surveys",
    suffix: "Forms",
    nouns: ["FORM", "RESPONSE", "QUESTION", "SURVEY", "WEBHOOK"],
  },
  {
    id: "social",
    name: "Social media",
    suffix: "Social",
    nouns: ["POST", "COMMENT", "PROFILE", "FOLLOWER", "MEDIA", "STORY"],
  },
  {
    id: "video",
    name: "Video meetings",
    suffix: "Meet",
    nouns: ["MEETING", "RECORDING", "PARTICIPANT", "WEBINAR", "TRANSCRIPT"],
  },
  {
    id: "security",
    name: "Security",
    suffix: "Guard",
    nouns: ["USER", "ROLE", "POLICY", "TOKEN", "AUDIT_EVENT", "ALERT"],
  },
  {
    id: "ai",
    name: "AI and search",
    suffix: "Mind",
    nouns: ["COMPLETION", "EMBEDDING", "MODEL", "DATASET", "SEARCH_RESULT"],
  },
  {
    id: "education",
    name: "Education",
    suffix: "Learn",
    nouns: ["COURSE", "STUDENT", "ASSIGNMENT", "GRADE", "ENROLLMENT"],
  },
];

/** The first parts of made names. With the suffixes they give more names than there are apps. */
export const PREFIXES: readonly string[] = (
  "Amber Birch Cobalt Delta Ember Fjord Garnet Harbor Indigo Juniper Kestrel Lumen Maple Nimbus Onyx Pine Quartz Raven Sable " +
  "Tidal Umber Vela Willow Xenon Yarrow Zephyr Alder Basalt Cedar Drift Echo Flint Grove Heron Iris Jasper Krill Larch Moss North"
).split(" ");

/** Well-known apps: slug, title, category and how many actions they have. Their actions do nothing. */
export const KNOWN_APPS: readonly (readonly [slug: string, title: string, category: string, actions: number])[] = [
  ["github", "GitHub", "developer-tools", 823],
  ["gitlab", "GitLab", "developer-tools", 210],
  ["bitbucket", "Bitbucket", "developer-tools", 96],
  ["jira", "Jira", "project-management", 118],
  ["asana", "Asana", "project-management", 152],
  ["trello", "Trello", "project-management", 190],
  ["clickup", "ClickUp", "project-management", 140],
  ["monday", "Monday", "project-management", 64],
  ["notion", "Notion", "documents", 48],
  ["confluence", "Confluence", "documents", 72],
  ["googledocs", "Google Docs", "documents", 34],
  ["outlook", "Outlook", "email", 166],
  ["front", "Front", "email", 92],
  ["mailchimp", "Mailchimp", "marketing", 178],
  ["sendgrid", "SendGrid", "marketing", 150],
  ["klaviyo", "Klaviyo", "marketing", 120],
  ["activecampaign", "ActiveCampaign", "marketing", 84],
  ["hubspot", "HubSpot", "crm", 286],
  ["salesforce", "Salesforce", "crm", 204],
  ["pipedrive", "Pipedrive", "crm", 158],
  ["attio", "Attio", "crm", 66],
  ["zohocrm", "Zoho CRM", "crm", 74],
  ["zendesk", "Zendesk", "customer-support", 132],
  ["intercom", "Intercom", "customer-support", 124],
  ["freshdesk", "Freshdesk", "customer-support", 88],
  ["stripe", "Stripe", "payments", 220],
  ["paypal", "PayPal", "payments", 56],
  ["square", "Square", "payments", 112],
  ["shopify", "Shopify", "ecommerce", 196],
  ["woocommerce", "WooCommerce", "ecommerce", 84],
  ["quickbooks", "QuickBooks", "accounting", 92],
  ["xero", "Xero", "accounting", 86],
  ["bamboohr", "BambooHR", "hr", 58],
  ["workday", "Workday", "hr", 62],
  ["greenhouse", "Greenhouse", "hr", 78],
  ["calendly", "Calendly", "calendar", 52],
  ["cal", "Cal.com", "calendar", 98],
  ["dropbox", "Dropbox", "storage", 94],
  ["box", "Box", "storage", 184],
  ["onedrive", "OneDrive", "storage", 76],
  ["airtable", "Airtable", "databases", 42],
  ["supabase", "Supabase", "databases", 108],
  ["snowflake", "Snowflake", "databases", 38],
  ["typeform", "Typeform", "forms", 44],
  ["jotform", "Jotform", "forms", 40],
  ["linkedin", "LinkedIn", "social", 28],
  ["twitter", "X", "social", 92],
  ["reddit", "Reddit", "social", 46],
  ["youtube", "YouTube", "social", 50],
  ["zoom", "Zoom", "video", 104],
  ["googlemeet", "Google Meet", "video", 26],
  ["mixpanel", "Mixpanel", "analytics", 68],
  ["amplitude", "Amplitude", "analytics", 54],
  ["posthog", "PostHog", "analytics", 240],
  ["datadog", "Datadog", "security", 136],
  ["sentry", "Sentry", "developer-tools", 176],
  ["pagerduty", "PagerDuty", "security", 188],
  ["okta", "Okta", "security", 90],
  ["discord", "Discord", "team-chat", 80],
  ["microsoft_teams", "Microsoft Teams", "team-chat", 110],
  ["canvas", "Canvas", "education", 230],
];
