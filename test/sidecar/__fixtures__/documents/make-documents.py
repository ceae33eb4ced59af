"""Writes the documents of this folder with programs that are none of ours: python-docx, openpyxl, and LibreOffice.

Run by hand: python3 make-documents.py. make-slides.md tells of slides.pptx. Needs Debian's python3-docx, python3-openpyxl, libreoffice.
"""

import datetime
import os
import shutil
import struct
import subprocess
import tempfile
import zlib

import docx
import openpyxl
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Inches

HERE = os.path.dirname(os.path.abspath(__file__))


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x20\x60\xc0" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def link(paragraph, text, address):
    target = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    element = OxmlElement("w:hyperlink")
    element.set(qn("r:id"), target)
    run = OxmlElement("w:r")
    word = OxmlElement("w:t")
    word.text = text
    run.append(word)
    element.append(run)
    paragraph._p.append(element)


def report(folder):
    picture = os.path.join(folder, "chart.png")
    with open(picture, "wb") as file:
        file.write(png(60, 40))
    document = docx.Document()
    document.core_properties.title = "Harvest report"
    document.add_heading("Harvest of 2026", 1)
    paragraph = document.add_paragraph("Apples & pears, gr\u00f6\u00dfer than ever. See ")
    link(paragraph, "the orchard", "https://example.com/orchard?a=1")
    document.add_heading("What was picked", 2)
    for text in ("apples", "pears"):
        document.add_paragraph(text, style="List Bullet")
    for text in ("first wash", "then sort"):
        document.add_paragraph(text, style="List Number")
    table = document.add_table(3, 3, style="Table Grid")
    for row, cells in enumerate([("Fruit", "Crates", "Kilograms"), ("Apple", "12", "240"), ("Pear", "7", "133")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_paragraph("")
    document.add_picture(picture, width=Inches(1))
    document.add_page_break()
    document.add_heading("Second page", 2)
    document.add_paragraph("The end.")
    document.save(os.path.join(HERE, "report.docx"))


def cells_with_lists():
    document = docx.Document()
    table = document.add_table(2, 2, style="Table Grid")
    table.cell(0, 0).text = "Step"
    table.cell(0, 1).text = "Notes"
    table.cell(1, 0).text = "one"
    cell = table.cell(1, 1)
    cell.text = "first paragraph"
    cell.add_paragraph("second paragraph")
    document.save(os.path.join(HERE, "cells.docx"))


def scan(folder):
    picture = os.path.join(folder, "page.png")
    with open(picture, "wb") as file:
        file.write(png(300, 400))
    document = docx.Document()
    document.add_picture(picture, width=Inches(5))
    document.save(os.path.join(folder, "scan.docx"))
    convert(os.path.join(folder, "scan.docx"), "pdf")


def figures(folder):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sales"
    sheet.append(["Item", "Day", "Price", "Share", "Double", "Moment", "Paid"])
    sheet.append(["Apple", datetime.date(2026, 3, 1), 1234.5, 0.125, "=C2*2", datetime.datetime(2026, 3, 1, 14, 30), True])
    sheet["B2"].number_format = "dd/mm/yyyy"
    sheet["C2"].number_format = "#,##0.00"
    sheet["D2"].number_format = "0.0%"
    sheet["E2"].number_format = "[$\u20ac-407] #,##0.00"
    sheet["F2"].number_format = "yyyy-mm-dd hh:mm"
    sheet.append(["Pear | ripe", None, -0.3, 1e-7, "=0.1+0.2", datetime.time(9, 5), False])
    sheet["F3"].number_format = "h:mm AM/PM"
    sheet.append(["over two", None, 7])
    sheet.merge_cells("A4:B4")
    book.create_sheet("Empty")
    other = book.create_sheet("Far")
    other["C5"] = "corner"
    other["D7"] = 42
    book.create_sheet("Secret").sheet_state = "hidden"
    book["Secret"]["A1"] = "hush"
    plain = os.path.join(folder, "figures.xlsx")
    book.save(plain)
    # LibreOffice computes the formulas, whose values openpyxl leaves out.
    convert(plain, "xlsx")


def convert(path, to, options=""):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(["soffice", "--headless", "--convert-to", to + options, "--outdir", out, path], check=True)
        for name in os.listdir(out):
            shutil.move(os.path.join(out, name), os.path.join(HERE, name))


with tempfile.TemporaryDirectory() as folder:
    report(folder)
    cells_with_lists()
    figures(folder)
    scan(folder)
    source = os.path.join(HERE, "report.docx")
    convert(source, "odt")
    convert(source, "rtf")
    convert(source, "epub")
    secret = os.path.join(folder, "locked.docx")
    shutil.copy(source, secret)
    password = '{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"x"}}'
    convert(secret, "pdf", ":writer_pdf_Export:" + password)
    convert(source, "pdf")
