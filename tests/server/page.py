#!/usr/bin/env python3
"""The page at / in Chromium: a statement, a chart, cancel, completion, a login, names and values that are scripts. It needs PyPI's
playwright and Debian's chromium, else it is skipped. page.py PROGRAM [FOLDER for screenshots]"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print('0 passed, 0 failed, 1 skipped: playwright is not installed')
    sys.exit(77)

PROGRAM = sys.argv[1]
SHOTS = sys.argv[2] if len(sys.argv) > 2 else None
CHROMIUM = shutil.which('chromium')
HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>'
ENDLESS = 'select count(*) from range(1000000000) a(i), range(1000000000) b(i) where a.i + b.i < 0'
servers = []
passed = failed = 0


def check(name, found, expected=True):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print('failed: %s: %r instead of %r' % (name, found, expected))


def start(folder, *options):
    process = subprocess.Popen([PROGRAM, 'serve', '--listen', 'unix:%s/s%d' % (folder, len(servers)), '--http', '127.0.0.1:0', *options,
                                folder + '/tables'], stdout=subprocess.PIPE, text=True)
    servers.append(process)
    process.stdout.readline()
    return process, process.stdout.readline().split()[-1]


def run(page, sql):
    page.fill('#sql', sql)
    page.press('#sql', 'Control+Enter')
    page.wait_for_selector('#run:not([disabled])')


def shot(page, name):
    if SHOTS:
        page.screenshot(path='%s/%s.png' % (SHOTS, name))


def rows(page):
    return page.eval_on_selector_all('tbody tr', 'rows => rows.map(row => [...row.cells].map(cell => cell.textContent))')


def ordinary(page):
    run(page, 'select i, i * i as square, null as nothing from range(1, 21) as r(i)')
    check('rows', rows(page)[:2], [['1', '1', 'NULL'], ['2', '4', 'NULL']])
    check('their number', page.text_content('#state').startswith('20 rows'))
    page.select_option('#kind', 'line')
    check('a chart', page.locator('#chart polyline').count(), 1)
    shot(page, 'page')
    page.select_option('#kind', 'bars')
    check('bars', page.locator('#chart rect').count(), 20)
    with page.expect_download() as download:
        page.click('#download')
    with open(download.value.path(), encoding='utf-8') as file:
        check('a download', file.readline(), 'i,square,nothing\n')
    run(page, 'select 9223372036854775807 as big, 0.1::decimal(30,20) as small')
    check('digits', rows(page), [['9223372036854775807', '0.10000000000000000000']])
    run(page, 'selec 1')
    check('a failure', 'syntax error' in page.text_content('#error'))
    run(page, "set timezone = 'UTC'")
    check('no rows', page.text_content('#state').startswith('SET'))
    page.fill('#sql', '')
    page.type('#sql', 'select na')
    check('completion', page.locator('#completions li').first.text_content().startswith('name'))
    page.press('#sql', 'Tab')
    check('taken by Tab', page.input_value('#sql'), 'select name')


def timeline(page):
    """The time of the last statement, by operator, and of one of the list."""
    run(page, "select i % 5 as k, sum(i) as s from range(4000000) r(i) join things on id > i % 2 group by 1 order by 1")
    page.wait_for_selector('#timeline:not([hidden])')
    check('its figures', 'threads busy in the mean' in page.text_content('#time-text'))
    check('operators', page.locator('#timeline .read').count(), 1)
    check('each has its steps', page.locator('#timeline polygon').count(), page.locator('#operators li').count() + 1)
    check('their names', 'join' in page.text_content('#operators'))
    check('by all that was done', page.evaluate("""async () => {
        const list = await (await ask('/queries')).json(), noted = await (await ask('/timeline/' + list.at(-1).id)).json();
        return total(noted.operators.map(one => total(one.busy))) > noted.seconds / 2; }"""))
    page.locator('#time').scroll_into_view_if_needed()
    shot(page, 'time')
    said = page.text_content('#time-text')
    page.locator('.statement button', has_text='Time').last.click()
    page.locator('#time-text').filter(has_not_text=said).wait_for()
    check('an earlier one', page.locator('#operators li').count() > 0)


def cancelling(page):
    page.fill('#sql', ENDLESS)
    page.click('#run')
    page.wait_for_selector('.statement progress')
    page.wait_for_selector('#timeline:not([hidden])')
    check('its time meanwhile', page.locator('#operators li').count() > 0)
    shot(page, 'running')
    page.click('#cancel')
    page.wait_for_selector('#run:not([disabled])')
    check('cancelled', 'cancel' in page.text_content('#error'))


def hostile(page):
    quoted = '"' + HOSTILE + '"'
    run(page, "select '%s' as %s, 1 as n" % (HOSTILE, quoted))
    check('a name is text', page.locator('thead th').first.text_content().startswith(HOSTILE))
    check('a value is text', rows(page)[0][0], HOSTILE)
    for kind in ('line', 'bars', 'points'):
        page.select_option('#kind', kind)
    page.wait_for_selector('#time:not([hidden])')
    run(page, 'select a.{0} from (select id as {0}, count(*) from things group by id) a join (select id as {0} from things) b on a.{0} = b.{0}'.format(quoted))
    page.locator('#operators', has_text='img src=x').wait_for()
    run(page, "select %s from things" % quoted)
    check('a failure is text', 'onerror' in page.text_content('#error'))
    page.locator('.statement').nth(2).wait_for()
    check('no element was made of it', page.locator('img, table script, aside script').count(), 0)


def passwords(browser, folder):
    subprocess.run([PROGRAM, 'serve', '--users', folder + '/users', '--add-user', 'anna'], input='geheim\n', text=True, check=True)
    process, place = start(folder, '--users', folder + '/users')
    page = browser.new_page()
    page.goto(place)
    page.wait_for_selector('#login[open]')
    for password, is_right in (('falsch', False), ('geheim', True)):
        page.fill('#user', 'anna')
        page.fill('#password', password)
        page.press('#password', 'Enter')
        if not is_right:
            page.wait_for_selector('#refused:not([hidden])')
    page.wait_for_selector('#login:not([open])', state='attached')
    run(page, 'select 1 as one')
    check('a login', rows(page), [['1']])
    process.send_signal(signal.SIGTERM)
    check('the server ends', process.wait(60), 0)


def main():
    folder = tempfile.mkdtemp()
    os.mkdir(folder + '/tables')
    subprocess.run([PROGRAM, '-c', "copy (select 1 as id, 'x' as name) to '%s/tables/things.parquet'" % folder], check=True,
                   capture_output=True)
    process, place = start(folder, '--trust-loopback')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=['--no-sandbox'])

        page = browser.new_page(viewport={'width': 1200, 'height': 800})
        page.set_default_timeout(15000)
        said, dialogs, asked = [], [], []
        page.on('console', lambda message: said.append(message.text) if message.type == 'error' else None)
        page.on('pageerror', lambda error: said.append(str(error)))
        page.on('dialog', lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.on('request', lambda request: asked.append(request.url))
        page.goto(place)
        for part in (ordinary, timeline, cancelling, hostile):
            part(page)
        check('no script of a name or value ran', dialogs, [])
        check('nothing is fetched from elsewhere', [url for url in asked if not url.startswith((place, 'blob:'))], [])
        check('nothing went wrong', [text for text in said if 'the server responded with a status' not in text], [])
        page.emulate_media(color_scheme='dark')
        page.set_viewport_size({'width': 390, 'height': 800})
        shot(page, 'phone')
        check('a phone', page.evaluate('document.documentElement.scrollWidth') <= 390)
        passwords(browser, folder)
        browser.close()
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    shutil.rmtree(folder)
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    return failed > 0


if not CHROMIUM:
    print('0 passed, 0 failed, 1 skipped: chromium is not installed')
    sys.exit(77)
try:
    sys.exit(main())
finally:
    for server in servers:
        server.kill()
