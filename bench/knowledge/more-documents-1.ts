/** The second part of `made-documents-1.ts`. */
import type { MadeDocument } from "./made-document.ts";

export const MORE_TUNED: readonly MadeDocument[] = [
  [
    "Guide to the solar panels on hall B",
    [
      ["Output", "The panels have a peak output of 99 kilowatts.", "How powerful is the photovoltaic system?"],
      [
        "Inverters",
        "If an inverter shows red, switch it off for ten minutes and on again.",
        "What can I try when the converter has a red light?",
      ],
      [
        "Feed-in",
        "Surplus electricity is sold to the grid for 7.9 cents per kilowatt hour.",
        "How much do we earn with power that we do not use?",
      ],
    ],
  ],
  [
    "Rules for working from home",
    [
      ["Days", "Employees may work from home on up to three days a week.", "How many days must I be in the office?"],
      [
        "Equipment",
        "The company provides a screen and a chair; internet is paid by the employee.",
        "Is my broadband reimbursed?",
      ],
      [
        "Abroad",
        "Working from another country needs the approval of the personnel department.",
        "Can I do my job from Portugal for a month?",
      ],
    ],
  ],
  [
    "Cheese production at the Alm dairy",
    [
      ["Milk", "Raw milk is processed within twelve hours after milking.", "How fresh must the milk be?"],
      ["Ripening", "Wheels ripen for nine months at eleven degrees.", "How long does the cheese age in the cellar?"],
      ["Rind", "The rind is brushed with brine twice a week.", "What is done to the outside of the wheels?"],
    ],
  ],
  [
    "Terms of the supplier Kestrel Metals",
    [
      [
        "Delivery",
        "Steel sheets are delivered within ten working days after the order.",
        "How long do we wait for metal from Kestrel?",
      ],
      [
        "Penalty",
        "For each week of delay two percent of the order value is deducted.",
        "What do they owe us when they are late?",
      ],
      ["Payment", "Invoices are due after 45 days without discount.", "When do we have to pay Kestrel's bills?"],
      [
        "Quality",
        "Defects are reported within eight days after the goods arrive.",
        "By when must we complain about faulty sheets?",
      ],
    ],
  ],
  [
    "Emergency numbers and contacts",
    [
      [
        "IT",
        "The helpdesk is at extension 4400, at night at 0170 555 0199.",
        "Whom do I call when my computer fails after hours?",
      ],
      [
        "Doctor",
        "The company doctor is in the building on Tuesdays from nine to twelve.",
        "When can I see a physician in the company?",
      ],
      ["Building", "The caretaker, Mr. Olsen, opens the gate for deliveries before six.", "Who lets early trucks in?"],
    ],
  ],
  [
    "Evaluation of the customer survey",
    [
      [
        "Satisfaction",
        "Eighty-one percent of those asked would recommend us.",
        "What share of clients is happy enough to tell friends?",
      ],
      [
        "Complaints",
        "The most frequent complaint was the long wait on the telephone.",
        "What annoys our customers most?",
      ],
      ["Wishes", "Many asked for a chat on the website.", "Which new channel would people like?"],
    ],
  ],
  [
    "Instruction for the packing line",
    [
      [
        "Start",
        "Before the start the safety doors have to be closed and the pressure be six bar.",
        "What compressed air level is needed to run the packaging?",
      ],
      [
        "Jam",
        "In a jam press the stop button, lift the cover and remove the carton by hand.",
        "A box is stuck. What do I do?",
      ],
      ["Labels", "Labels are changed every 4,000 cartons.", "When does the roll of stickers run out?"],
    ],
  ],
  [
    "Statutes of the sports club",
    [
      ["Halls", "The gym may be used by members until half past ten at night.", "How late can we train?"],
      ["Membership", "Members may leave at the end of a year with a notice of six weeks.", "How do I quit the club?"],
      ["Fees", "The annual fee is 96 euros, for children 48.", "What does a youngster pay per year?"],
      ["Assembly", "The general assembly elects the board every two years.", "How often are the leaders chosen?"],
    ],
  ],
  [
    "Moving plan of the Leipzig office",
    [
      ["Date", "The move takes place on the weekend of 7 September.", "When are we relocating in Leipzig?"],
      [
        "Boxes",
        "Each employee packs at most four boxes and writes the room number on them.",
        "How much stuff can I take along?",
      ],
      [
        "Network",
        "The network in the new building is tested on Sunday afternoon.",
        "When will we know that the internet works there?",
      ],
    ],
  ],
  [
    "Test report of the pump P-20",
    [
      ["Power", "The motor draws 2.2 kilowatts at full load.", "What is the electricity demand of the pump?"],
      [
        "Flow",
        "At a pressure of four bar the pump moves 310 litres per minute.",
        "How much water does the P-20 deliver?",
      ],
      ["Noise", "The sound level at one metre is 68 decibels.", "How loud is it?"],
      ["Seal", "After 2,000 hours the shaft seal leaked and was replaced.", "Which part failed in the endurance run?"],
    ],
  ],
  [
    "Scholarship rules of the foundation",
    [
      [
        "Eligibility",
        "Students of engineering up to the age of 28 may apply.",
        "Am I too old to get support at thirty?",
      ],
      ["Amount", "The scholarship is 600 euros a month for two years.", "How much financial aid is given?"],
      ["Deadline", "Applications close on 15 October.", "Until when can papers be sent in?"],
    ],
  ],
  [
    "Maintenance of the elevator",
    [
      [
        "Inspection",
        "An inspector examines the elevator once a year in November.",
        "When does the official check of the lift happen?",
      ],
      ["Oil", "The hydraulic oil is changed every five years.", "How long may the fluid stay in?"],
      [
        "Trapped",
        "Trapped persons are freed within thirty minutes by the Lift24 service.",
        "How fast does help come when somebody is stuck between floors?",
      ],
    ],
  ],
  [
    "Newsletter plan for the autumn",
    [
      [
        "Topics",
        "September is about garden furniture, October about lamps.",
        "What do we write about in the month before November?",
      ],
      [
        "Sending",
        "Newsletters leave on Thursdays at seven in the morning.",
        "Which weekday do subscribers get their mail?",
      ],
      ["Discount", "Readers get ten percent off with the code LEAF10.", "What coupon do we offer?"],
    ],
  ],
  [
    "Laboratory safety",
    [
      [
        "Clothing",
        "Coats and goggles are worn at all times; sandals are forbidden.",
        "Can I wear open shoes near the chemicals?",
      ],
      ["Acids", "Acids are stored in the yellow cabinet below eye level.", "Where do corrosive liquids belong?"],
      [
        "Accidents",
        "Splashes in the eyes are rinsed for fifteen minutes.",
        "Something got into my eye. How long do I wash it?",
      ],
    ],
  ],
  [
    "Merger of the two warehouses",
    [
      ["Stock", "Slow-moving goods go to Halle, everything else to Erfurt.", "Where do items go that hardly sell?"],
      ["Staff", "All forty employees are offered a position in Erfurt.", "Will people lose their jobs?"],
      [
        "Costs",
        "The merger saves 310,000 euros a year from the second year.",
        "What is the financial benefit of putting the depots together?",
      ],
    ],
  ],
];
