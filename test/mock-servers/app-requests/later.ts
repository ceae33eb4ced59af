/**
 * Requests that were written after the rules of the choice were made, to see whether these were fitted to the others. The
 * first figures on them are in docs/decisions/0160-the-search-for-actions.md.
 */
import type { PlainRequests } from "./all.ts";

export const LATER_OFFICE: PlainRequests = {
  apps: `gmail slack googlecalendar googledrive googlesheets linear notion zoom calendly dropbox typeform trello
    confluence canvas`,
  requests: `
    did the plumber answer my mail = GMAIL_FETCH_EMAILS
    look through my mailbox for the train tickets = GMAIL_FETCH_EMAILS
    forward my thanks to Mrs Wong by email = GMAIL_SEND_EMAIL
    email the whole class about the trip = GMAIL_SEND_EMAIL
    prepare a polite email draft that declines the offer = GMAIL_CREATE_EMAIL_DRAFT
    reply to Jana that the price is fine = GMAIL_REPLY_TO_THREAD
    put the label urgent on this email = GMAIL_ADD_LABEL_TO_EMAIL
    delete the email from the casino = GMAIL_DELETE_MESSAGE
    let everyone in #office know that the lift is broken = SLACK_SEND_MESSAGE
    send the design team a message on Slack = SLACK_SEND_MESSAGE
    what has been said in #launch since yesterday = SLACK_FETCH_CONVERSATION_HISTORY
    search our Slack for the word invoice = SLACK_SEARCH_MESSAGES
    which colleague is called Priya on Slack = SLACK_FIND_USERS
    add a heart to the last message in Slack = SLACK_ADD_REACTION_TO_AN_ITEM
    make a new channel for the football bets = SLACK_CREATE_CHANNEL
    list every channel of our workspace = SLACK_LIST_ALL_CHANNELS
    show me the events of next month = GOOGLECALENDAR_EVENTS_LIST
    which appointments are on Friday = GOOGLECALENDAR_EVENTS_LIST
    create an appointment with the vet on Monday at nine = GOOGLECALENDAR_CREATE_EVENT
    find the appointment with the tax adviser = GOOGLECALENDAR_FIND_EVENT
    move the lunch event to another title = GOOGLECALENDAR_UPDATE_EVENT
    delete the event on the 3rd from the calendar = GOOGLECALENDAR_DELETE_EVENT
    search the drive for the floor plan = GOOGLEDRIVE_FIND_FILE
    create a folder for the audit in Google Drive = GOOGLEDRIVE_CREATE_FOLDER
    read the file terms.txt from the drive = GOOGLEDRIVE_PARSE_FILE
    delete the file old-logo from Google Drive = GOOGLEDRIVE_GOOGLE_DRIVE_DELETE_FOLDER_OR_FILE_ACTION
    create a spreadsheet for the raffle tickets = GOOGLESHEETS_CREATE_GOOGLE_SHEET1
    add a row for March to the spreadsheet = GOOGLESHEETS_SPREADSHEETS_VALUES_APPEND
    read every row of the sheet with the orders = GOOGLESHEETS_BATCH_GET
    find the row of the spreadsheet with the name Lopez = GOOGLESHEETS_LOOKUP_SPREADSHEET_ROW
    create an issue in Linear: the search is slow = LINEAR_CREATE_LINEAR_ISSUE
    what issues are open for the web team in Linear = LINEAR_LIST_LINEAR_ISSUES
    leave a comment on the Linear issue = LINEAR_CREATE_LINEAR_COMMENT
    change the state of the Linear issue to done = LINEAR_UPDATE_ISSUE
    create a page in Notion with the recipe = NOTION_CREATE_PAGE
    update the Notion page about the office rules = NOTION_UPDATE_PAGE
    which Zoom meetings are planned = ZOOM_LIST_MEETINGS
    delete the Zoom recording of Tuesday = ZOOM_DELETE_RECORDING
    which bookings are in Calendly = CALENDLY_LIST_BOOKINGS
    list the folders of Dropbox = DROPBOX_LIST_FOLDERS
    create a task in Trello to call the bank = TRELLO_CREATE_TASK
    update the title of the Confluence page = CONFLUENCE_UPDATE_PAGE
    which students are in Canvas = CANVAS_LIST_STUDENTS`,
};

export const LATER_COMPANIES: PlainRequests = {
  apps: `github sentry jira hubspot pipedrive outlook zendesk intercom stripe shopify quickbooks xero mailchimp twitter mixpanel
    bamboohr greenhouse airtable asana slack`,
  requests: `
    what commits were made today on GitHub = GITHUB_LIST_COMMITS
    create a repository for the mobile app = GITHUB_CREATE_REPOSITORY
    who opened the last pull request on GitHub = GITHUB_LIST_PULL_REQUESTS | GITHUB_GET_PULL_REQUEST
    delete the GitHub webhook of the old server = GITHUB_DELETE_WEBHOOK
    list the releases in Sentry = SENTRY_LIST_RELEASES
    which tasks are in the Jira project = JIRA_LIST_TASKS
    delete the Jira comment = JIRA_DELETE_COMMENT
    create a company in HubSpot for Globex = HUBSPOT_CREATE_COMPANY
    list the notes in HubSpot = HUBSPOT_LIST_NOTES
    how many contacts are in HubSpot = HUBSPOT_COUNT_CONTACTS
    update the Pipedrive deal = PIPEDRIVE_UPDATE_DEAL
    read my Outlook messages = OUTLOOK_LIST_MESSAGES | OUTLOOK_GET_MESSAGE
    send an Outlook message to the accountant = OUTLOOK_SEND_MESSAGE
    create a Zendesk ticket about the broken scanner = ZENDESK_CREATE_TICKET
    list the macros of Zendesk = ZENDESK_LIST_MACROS
    update the customer in Intercom = INTERCOM_UPDATE_CUSTOMER
    list the refunds in Stripe = STRIPE_LIST_REFUNDS
    create a subscription for the customer in Stripe = STRIPE_CREATE_SUBSCRIPTION
    which products do we sell on Shopify = SHOPIFY_LIST_PRODUCTS
    export the Shopify customers = SHOPIFY_EXPORT_CUSTOMERS
    create a bill in QuickBooks for the rent = QUICKBOOKS_CREATE_BILL
    search the vendors in QuickBooks for Staples = QUICKBOOKS_SEARCH_VENDORS
    list the payments in Xero = XERO_LIST_PAYMENTS
    which campaigns are in Mailchimp = MAILCHIMP_LIST_CAMPAIGNS
    create a segment in Mailchimp = MAILCHIMP_CREATE_SEGMENT
    what did we post on Twitter this week = TWITTER_LIST_POSTS | TWITTER_SEARCH_POSTS
    list the funnels of Mixpanel = MIXPANEL_LIST_FUNNELS
    create a report in Mixpanel = MIXPANEL_CREATE_REPORT
    look up the employee Fischer in BambooHR = BAMBOOHR_SEARCH_EMPLOYEES | BAMBOOHR_GET_EMPLOYEE
    which jobs are open in Greenhouse = GREENHOUSE_LIST_JOBS
    create a candidate in Greenhouse = GREENHOUSE_CREATE_CANDIDATE
    list the records of Airtable = AIRTABLE_LIST_RECORDS
    delete the Airtable record of the old car = AIRTABLE_DELETE_RECORD
    comment on the Asana task = ASANA_CREATE_COMMENT
    create an Asana project for the move = ASANA_CREATE_PROJECT
    archive the Asana project of last year = ASANA_ARCHIVE_PROJECT
    create a Zendesk ticket and tell #support on Slack = ZENDESK_CREATE_TICKET & SLACK_SEND_MESSAGE`,
};
