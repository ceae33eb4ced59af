/** Requests to the apps of companies: of those who build, sell, help, count, advertise and hire. */
import type { PlainRequests } from "./all.ts";

export const DEVELOPERS: PlainRequests = {
  apps: "github sentry datadog pagerduty slack jira confluence supabase okta googledrive gmail",
  requests: `
    which pull requests are open in the backend repository = GITHUB_LIST_PULL_REQUESTS
    open a pull request for my branch on GitHub = GITHUB_CREATE_PULL_REQUEST
    merge the PR about the login page = GITHUB_MERGE_PULL_REQUESTS
    show me the pull request with the new parser = GITHUB_GET_PULL_REQUEST | GITHUB_SEARCH_PULL_REQUESTS
    create an issue on GitHub for the failing build = GITHUB_CREATE_ISSUE
    list the issues of the web repo = GITHUB_LIST_ISSUES
    close the GitHub issue about the typo = GITHUB_UPDATE_ISSUE
    search GitHub issues for timeout = GITHUB_SEARCH_ISSUES
    which branches does the repo have = GITHUB_LIST_BRANCHES
    make a branch called fix-42 on GitHub = GITHUB_CREATE_BRANCH
    delete the branch old-experiment = GITHUB_DELETE_BRANCH
    what were the last commits = GITHUB_LIST_COMMITS
    show the commit 9f3a2 = GITHUB_GET_COMMIT
    publish a new release on GitHub = GITHUB_CREATE_RELEASE
    when was the last release = GITHUB_LIST_RELEASES | GITHUB_GET_RELEASE
    make a new repository for the website = GITHUB_CREATE_REPOSITORY
    list my GitHub repositories = GITHUB_LIST_REPOSITORIES
    archive the repository of the old app = GITHUB_ARCHIVE_REPOSITORY
    delete the repository test-123 = GITHUB_DELETE_REPOSITORY
    add Kim to the GitHub team frontend = GITHUB_ADD_MEMBER_TO_TEAM
    save this snippet as a gist = GITHUB_CREATE_GIST
    which webhooks are set on GitHub = GITHUB_LIST_WEBHOOKS
    change the workflow of the nightly build on GitHub = GITHUB_UPDATE_WORKFLOW
    how many pull requests are there on GitHub = GITHUB_COUNT_PULL_REQUESTS
    what new errors are in Sentry = SENTRY_LIST_ISSUES
    find the Sentry issue with the null pointer = SENTRY_SEARCH_ISSUES
    resolve the Sentry issue about the checkout = SENTRY_UPDATE_ISSUE
    which alerts are firing in Datadog = DATADOG_LIST_ALERTS
    add an alert to Datadog for high memory = DATADOG_CREATE_ALERT
    read the audit events of Datadog = DATADOG_LIST_AUDIT_EVENTS
    acknowledge the PagerDuty alert = PAGERDUTY_UPDATE_ALERT
    who is a user in PagerDuty = PAGERDUTY_LIST_USERS
    create a task in Jira for the migration = JIRA_CREATE_TASK
    what is left to do in Jira = JIRA_LIST_TASKS
    move the Jira task to done = JIRA_UPDATE_TASK
    comment on the Jira task that the fix is deployed = JIRA_CREATE_COMMENT
    log three hours of work in Jira = JIRA_CREATE_TIME_ENTRY
    which milestones does the Jira project have = JIRA_LIST_MILESTONES
    find the Confluence page about deployments = CONFLUENCE_SEARCH_PAGES
    write a Confluence page on how we do reviews = CONFLUENCE_CREATE_PAGE
    look at the tables of Supabase = SUPABASE_LIST_TABLES
    add a row to the Supabase table customers = SUPABASE_CREATE_RECORD
    add an index to speed up the Supabase query = SUPABASE_CREATE_INDEX
    create a user for the new colleague in Okta = OKTA_CREATE_USER
    which roles does Okta have = OKTA_LIST_ROLES
    list the policies in Okta = OKTA_LIST_POLICIES
    open a GitHub issue for the Sentry error and post it in #backend = GITHUB_CREATE_ISSUE & SLACK_SEND_MESSAGE
    list the merged pull requests and write release notes into Confluence = GITHUB_LIST_PULL_REQUESTS & CONFLUENCE_CREATE_PAGE`,
};

export const SALES: PlainRequests = {
  apps: "hubspot salesforce pipedrive outlook microsoft_teams googlesheets calendly zoom attio",
  requests: `
    add Mrs Keller as a contact in HubSpot = HUBSPOT_CREATE_CONTACT
    what do we know about the contact Tim Berg in HubSpot = HUBSPOT_SEARCH_CONTACTS | HUBSPOT_GET_CONTACT
    change the phone number of the HubSpot contact = HUBSPOT_UPDATE_CONTACT
    merge the two duplicate contacts in HubSpot = HUBSPOT_MERGE_CONTACTS
    export all HubSpot contacts = HUBSPOT_EXPORT_CONTACTS
    which deals are open in HubSpot = HUBSPOT_LIST_DEALS
    create a deal for Northwind in HubSpot = HUBSPOT_CREATE_DEAL
    how many deals are in HubSpot = HUBSPOT_COUNT_DEALS
    find the company Acme in HubSpot = HUBSPOT_SEARCH_COMPANIES
    write a note about the phone call in HubSpot = HUBSPOT_CREATE_NOTE
    delete the HubSpot lead that bounced = HUBSPOT_DELETE_LEAD
    new lead in Salesforce: Olga from Contoso = SALESFORCE_CREATE_LEAD
    list my leads in Salesforce = SALESFORCE_LIST_LEADS
    update the deal in Salesforce to won = SALESFORCE_UPDATE_DEAL
    which pipelines are in Salesforce = SALESFORCE_LIST_PIPELINES
    look for the Salesforce account of the company Fabrikam = SALESFORCE_SEARCH_COMPANIES
    log an activity for the visit in Pipedrive = PIPEDRIVE_CREATE_ACTIVITY
    archive the lost deal in Pipedrive = PIPEDRIVE_ARCHIVE_DEAL
    which activities are planned in Pipedrive = PIPEDRIVE_LIST_ACTIVITIES
    send the offer by Outlook to Mr Singh = OUTLOOK_SEND_MESSAGE
    what new messages are in my Outlook = OUTLOOK_LIST_MESSAGES
    draft an Outlook mail to the customer = OUTLOOK_CREATE_DRAFT
    make a filter in Outlook for newsletters = OUTLOOK_CREATE_FILTER
    find the Outlook message with the signed contract = OUTLOOK_SEARCH_MESSAGES
    tell the sales channel in Teams that we won = MICROSOFT_TEAMS_SEND_MESSAGE
    which channels are there in Microsoft Teams = MICROSOFT_TEAMS_LIST_CHANNELS
    start a Teams conversation with the partner = MICROSOFT_TEAMS_CREATE_CONVERSATION
    put the forecast into the spreadsheet = GOOGLESHEETS_SPREADSHEETS_VALUES_APPEND | GOOGLESHEETS_BATCH_UPDATE
    note in Attio that the customer prefers calls = ATTIO_CREATE_NOTE
    which companies are in Attio = ATTIO_LIST_COMPANIES
    find the deal in HubSpot and send the customer a message by Outlook = HUBSPOT_SEARCH_DEALS | HUBSPOT_GET_DEAL & OUTLOOK_SEND_MESSAGE`,
};

export const SUPPORT: PlainRequests = {
  apps: "zendesk intercom freshdesk gmail slack jira notion discord",
  requests: `
    show the open tickets in Zendesk = ZENDESK_LIST_TICKETS
    open a Zendesk ticket for the customer who cannot log in = ZENDESK_CREATE_TICKET
    close the Zendesk ticket 881 = ZENDESK_UPDATE_TICKET
    how many tickets came in this week on Zendesk = ZENDESK_COUNT_TICKETS
    search Zendesk tickets for refund = ZENDESK_SEARCH_TICKETS
    merge the two Zendesk tickets about the same outage = ZENDESK_MERGE_TICKETS
    how satisfied are the customers in Zendesk = ZENDESK_LIST_SATISFACTION_RATINGS
    write a help article in Zendesk = ZENDESK_CREATE_ARTICLE
    which macros do we use in Zendesk = ZENDESK_LIST_MACROS
    delete the spam ticket from Zendesk = ZENDESK_DELETE_TICKET
    who are the agents in Intercom = INTERCOM_LIST_AGENTS
    look up the customer Maria in Intercom = INTERCOM_SEARCH_CUSTOMERS | INTERCOM_GET_CUSTOMER
    find the Intercom article about passwords = INTERCOM_SEARCH_ARTICLES
    update the Intercom article on shipping = INTERCOM_UPDATE_ARTICLE
    export the customers of Intercom = INTERCOM_EXPORT_CUSTOMERS
    create a ticket in Freshdesk = FRESHDESK_CREATE_TICKET
    get the details of the Freshdesk ticket 12 = FRESHDESK_GET_TICKET
    archive the solved tickets in Freshdesk = FRESHDESK_ARCHIVE_TICKET
    post the outage notice on Discord = DISCORD_SEND_MESSAGE
    which users are on our Discord = DISCORD_LIST_USERS
    delete the rude message on Discord = DISCORD_DELETE_MESSAGE
    create a Jira task from the Zendesk ticket = JIRA_CREATE_TASK
    reply by mail to the customer with the broken lamp = GMAIL_REPLY_TO_THREAD | GMAIL_SEND_EMAIL
    tell #support on Slack how many Zendesk tickets are open = SLACK_SEND_MESSAGE & ZENDESK_COUNT_TICKETS`,
};

export const SHOPS: PlainRequests = {
  apps: "stripe paypal shopify woocommerce quickbooks xero gmail googlesheets",
  requests: `
    refund the last charge on Stripe = STRIPE_CREATE_REFUND
    which subscriptions are active in Stripe = STRIPE_LIST_SUBSCRIPTIONS
    cancel the Stripe subscription of Mr Novak = STRIPE_DELETE_SUBSCRIPTION | STRIPE_UPDATE_SUBSCRIPTION
    create a customer in Stripe = STRIPE_CREATE_CUSTOMER
    list the charges on Stripe from today = STRIPE_LIST_CHARGES
    when is the next Stripe payout = STRIPE_LIST_PAYOUTS | STRIPE_GET_PAYOUT
    what disputes are open on Stripe = STRIPE_LIST_DISPUTES
    change the price of the plan in Stripe = STRIPE_UPDATE_PRICE
    find the Stripe customer with this address = STRIPE_SEARCH_CUSTOMERS
    export the Stripe payouts of this year = STRIPE_EXPORT_PAYOUTS
    show the refunds on PayPal = PAYPAL_LIST_REFUNDS
    charge the customer on PayPal = PAYPAL_CREATE_CHARGE
    which orders came in on Shopify = SHOPIFY_LIST_ORDERS
    add a product to our Shopify store = SHOPIFY_CREATE_PRODUCT
    where is the shipment of the Shopify order = SHOPIFY_GET_SHIPMENT | SHOPIFY_SEARCH_SHIPMENTS | SHOPIFY_LIST_SHIPMENTS
    make a coupon for ten percent off on Shopify = SHOPIFY_CREATE_COUPON
    take the red chair out of the Shopify shop = SHOPIFY_DELETE_PRODUCT | SHOPIFY_ARCHIVE_PRODUCT
    how many customers does the Shopify store have = SHOPIFY_COUNT_CUSTOMERS
    update the product description on Shopify = SHOPIFY_UPDATE_PRODUCT
    show the abandoned carts of WooCommerce = WOOCOMMERCE_LIST_CARTS
    search the WooCommerce orders of Mrs Lind = WOOCOMMERCE_SEARCH_ORDERS
    write an invoice for Contoso in QuickBooks = QUICKBOOKS_CREATE_INVOICE
    send the QuickBooks invoice to the client = QUICKBOOKS_SEND_INVOICE
    which bills are unpaid in QuickBooks = QUICKBOOKS_LIST_BILLS
    record a payment in QuickBooks = QUICKBOOKS_CREATE_PAYMENT
    add a new vendor to QuickBooks = QUICKBOOKS_CREATE_VENDOR
    list the invoices in Xero = XERO_LIST_INVOICES
    post a journal entry in Xero = XERO_CREATE_JOURNAL_ENTRY
    what tax rates are set up in Xero = XERO_LIST_TAX_RATES
    delete the wrong bill from Xero = XERO_DELETE_BILL
    find the invoice 2026-118 in Xero = XERO_SEARCH_INVOICES | XERO_GET_INVOICE
    export the Shopify orders and append them to the sheet = SHOPIFY_EXPORT_ORDERS & GOOGLESHEETS_SPREADSHEETS_VALUES_APPEND
    refund the charge on Stripe and write the customer an email = STRIPE_CREATE_REFUND & GMAIL_SEND_EMAIL`,
};

export const MARKETING: PlainRequests = {
  apps: "mailchimp sendgrid klaviyo linkedin twitter youtube mixpanel posthog amplitude jotform reddit slack",
  requests: `
    send the newsletter campaign in Mailchimp = MAILCHIMP_SEND_CAMPAIGN
    create a Mailchimp campaign for Black Friday = MAILCHIMP_CREATE_CAMPAIGN
    add this person to the Mailchimp list = MAILCHIMP_CREATE_SUBSCRIBER | MAILCHIMP_ADD_MEMBER_TO_AUDIENCE
    unsubscribe karl@example.com from Mailchimp = MAILCHIMP_DELETE_SUBSCRIBER | MAILCHIMP_UPDATE_SUBSCRIBER
    how many subscribers do we have in Mailchimp = MAILCHIMP_COUNT_SUBSCRIBERS
    which audiences are in Mailchimp = MAILCHIMP_LIST_AUDIENCES
    edit the Mailchimp template with the logo = MAILCHIMP_UPDATE_TEMPLATE
    list the templates in SendGrid = SENDGRID_LIST_TEMPLATES
    set up a segment of loyal customers in Klaviyo = KLAVIYO_CREATE_SEGMENT
    which automations run in Klaviyo = KLAVIYO_LIST_AUTOMATIONS
    publish a post on LinkedIn about our new office = LINKEDIN_CREATE_POST
    read the comments under our LinkedIn posts = LINKEDIN_LIST_COMMENTS
    who follows us on LinkedIn = LINKEDIN_LIST_FOLLOWERS
    remove the post from LinkedIn = LINKEDIN_DELETE_POST
    tweet that the sale has begun on X = TWITTER_CREATE_POST
    how many followers do we have on Twitter = TWITTER_COUNT_FOLLOWERS
    search Twitter for posts about our brand = TWITTER_SEARCH_POSTS
    update the profile text on Twitter = TWITTER_UPDATE_PROFILE
    answer the comment on YouTube = YOUTUBE_CREATE_COMMENT
    post the link in the subreddit on Reddit = REDDIT_CREATE_POST
    show the Mixpanel funnel of the sign-up = MIXPANEL_GET_FUNNEL
    build a dashboard in Mixpanel = MIXPANEL_CREATE_DASHBOARD
    which cohorts are in Mixpanel = MIXPANEL_LIST_COHORTS
    list the reports of Amplitude = AMPLITUDE_LIST_REPORTS
    count the events in PostHog = POSTHOG_COUNT_EVENTS
    open the PostHog dashboard on retention = POSTHOG_GET_DASHBOARD | POSTHOG_SEARCH_DASHBOARDS
    export the events from PostHog as a csv = POSTHOG_EXPORT_EVENTS
    who filled in the Jotform form = JOTFORM_LIST_RESPONSES
    ask one more question in the Jotform survey = JOTFORM_CREATE_QUESTION
    count the Mailchimp subscribers and post the number to #marketing = MAILCHIMP_COUNT_SUBSCRIBERS & SLACK_SEND_MESSAGE`,
};

export const PEOPLE_TEAM: PlainRequests = {
  apps: "bamboohr greenhouse workday googlecalendar gmail box onedrive airtable asana clickup monday outlook",
  requests: `
    how many vacation requests are waiting in BambooHR = BAMBOOHR_LIST_TIME_OFF_REQUESTS
    ask for two weeks off in July in BambooHR = BAMBOOHR_CREATE_TIME_OFF_REQUEST
    list the employees in BambooHR = BAMBOOHR_LIST_EMPLOYEES
    add the new hire to BambooHR = BAMBOOHR_CREATE_EMPLOYEE
    which departments does BambooHR have = BAMBOOHR_LIST_DEPARTMENTS
    change the job title of Ida in BambooHR = BAMBOOHR_UPDATE_EMPLOYEE
    who applied for the job in Greenhouse = GREENHOUSE_LIST_CANDIDATES
    reject the candidate in Greenhouse and archive her file = GREENHOUSE_ARCHIVE_CANDIDATE
    post a new job in Greenhouse = GREENHOUSE_CREATE_JOB
    find the candidate Yusuf in Greenhouse = GREENHOUSE_SEARCH_CANDIDATES
    run the payroll in Workday = WORKDAY_CREATE_PAYROLL_RUN
    show the last payroll run in Workday = WORKDAY_GET_PAYROLL_RUN | WORKDAY_LIST_PAYROLL_RUNS
    upload the contract to Box = BOX_CREATE_FILE
    who may see the folder on Box = BOX_LIST_PERMISSIONS
    give Lars permission to the Box file = BOX_CREATE_PERMISSION | BOX_ADD_MEMBER_TO_FILE
    make a folder on OneDrive for the applicants = ONEDRIVE_CREATE_FOLDER
    delete the OneDrive file with the old salaries = ONEDRIVE_DELETE_FILE
    look in OneDrive for the works agreement = ONEDRIVE_SEARCH_FILES
    add a record for the laptop to Airtable = AIRTABLE_CREATE_RECORD
    which tables are in the Airtable base = AIRTABLE_LIST_TABLES
    find the Airtable record of the projector = AIRTABLE_SEARCH_RECORDS
    remove the field "fax" from Airtable = AIRTABLE_DELETE_FIELD
    what are my tasks in Asana = ASANA_LIST_TASKS
    create an Asana task: order the badges = ASANA_CREATE_TASK
    tick off the Asana task about the badges = ASANA_UPDATE_TASK
    add Nora to the Asana project = ASANA_ADD_MEMBER_TO_PROJECT
    start a new project in ClickUp = CLICKUP_CREATE_PROJECT
    how much time was tracked in ClickUp = CLICKUP_LIST_TIME_ENTRIES
    delete the ClickUp task that is no longer needed = CLICKUP_DELETE_TASK
    which projects are in Monday = MONDAY_LIST_PROJECTS
    book an interview with the candidate and mail her the time = GOOGLECALENDAR_CREATE_EVENT & GMAIL_SEND_EMAIL
    find the candidate in Greenhouse and create an employee in BambooHR = GREENHOUSE_SEARCH_CANDIDATES & BAMBOOHR_CREATE_EMPLOYEE`,
};

/** Every app of the catalogue is allowed, so the request has to name its own. */
export const WHOLE_CATALOGUE: PlainRequests = {
  apps: "",
  requests: `
    create an issue on GitHub = GITHUB_CREATE_ISSUE
    send a message on Slack to #general = SLACK_SEND_MESSAGE
    send an email with Gmail = GMAIL_SEND_EMAIL
    list my Linear issues = LINEAR_LIST_LINEAR_ISSUES
    add an event to Google Calendar = GOOGLECALENDAR_CREATE_EVENT
    find a file in Google Drive = GOOGLEDRIVE_FIND_FILE
    append a row to a Google Sheets spreadsheet = GOOGLESHEETS_SPREADSHEETS_VALUES_APPEND
    which invoices are in Amber Books = AMBERBOOKS_LIST_INVOICES
    which tickets are in Cobalt Desk = COBALTDESK_LIST_TICKETS
    show the orders of Birch Store = BIRCHSTORE_LIST_ORDERS
    who are our contacts in Amber CRM = AMBERCRM_LIST_CONTACTS
    which meetings are in Amber Meet = AMBERMEET_LIST_MEETINGS
    list the employees of Birch People = BIRCHPEOPLE_LIST_EMPLOYEES
    which courses does Amber Learn offer = AMBERLEARN_LIST_COURSES
    read the responses of the forms in Birch Forms = BIRCHFORMS_LIST_RESPONSES
    look at the repositories in Birch Forge = BIRCHFORGE_LIST_REPOSITORIES
    list the files in Amber Drive = AMBERDRIVE_LIST_FILES
    what are the charges in Cobalt Pay = COBALTPAY_LIST_CHARGES
    list the events of Amber Calendar = AMBERCALENDAR_LIST_EVENTS
    which funnels are in Amber Metrics = AMBERMETRICS_LIST_FUNNELS
    read the messages in Birch Mail = BIRCHMAIL_LIST_MESSAGES
    which channels are in Birch Chat = BIRCHCHAT_LIST_CHANNELS
    post something on LinkedIn = LINKEDIN_CREATE_POST
    create a Zoom meeting = ZOOM_CREATE_MEETING
    refund a charge with Stripe = STRIPE_CREATE_REFUND
    create a HubSpot contact = HUBSPOT_CREATE_CONTACT
    make a page in Notion = NOTION_CREATE_PAGE
    add a Trello task = TRELLO_CREATE_TASK
    write an invoice in QuickBooks = QUICKBOOKS_CREATE_INVOICE
    which tables are in Airtable = AIRTABLE_LIST_TABLES`,
};
