/** The style of the hosted pages. Its hash is part of their content security policy. */
export const hostedPageStyle = `
:root {
  color-scheme: light dark;
  --page: #f4f5f4; --card: #fff; --text: #17211b; --muted: #56635b; --line: #d8dedb;
  --accent: #14703f; --accent-text: #fff; --hover: #eef6f1; --error: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101412; --card: #191f1c; --text: #edf2ef; --muted: #a4b1aa; --line: #333d38;
    --accent: #4fc98a; --accent-text: #06150d; --hover: #212a25; --error: #ffb4ab;
  }
}
* { box-sizing: border-box; margin: 0 }
body {
  min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  width: 100%; max-width: 25rem; padding: 2.25rem 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 1rem 3rem rgb(0 0 0 / .06);
}
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em; font-weight: 650; overflow-wrap: anywhere }
h2 { margin-top: 1.75rem; font-size: 1rem; font-weight: 650 }
h2 + nav ul { margin-top: .75rem }
nav + nav ul { margin-top: .625rem }
h1 strong { font-weight: 650; color: var(--accent) }
p { margin-top: .625rem; color: var(--muted); overflow-wrap: anywhere }
h1.client { font-size: 1.75rem }
p.unicode { margin-top: .125rem; font-size: 1.125rem }
p.claim { font-size: .875rem }
ul.scopes { margin-top: .625rem; padding-left: 1.25rem; list-style: disc; gap: .25rem }
fieldset { margin-top: 1.5rem; padding: 0; border: 0; display: grid; gap: .625rem }
legend { padding: 0; margin-bottom: .625rem; font-weight: 650 }
label.choice { margin-top: 0 }
p bdi { color: var(--text); font-weight: 600 }
p.claim bdi { color: inherit; font-weight: inherit }
li { overflow-wrap: anywhere }
p strong, footer strong { color: var(--text); font-weight: 600 }
ul { list-style: none; padding: 0; margin-top: 1.5rem; display: grid; gap: .625rem }
.choice {
  display: flex; align-items: center; gap: .875rem; min-height: 3.25rem; padding: .5rem 1rem;
  border: 1px solid var(--line); border-radius: .75rem; color: inherit; text-decoration: none;
  font-weight: 550; overflow-wrap: anywhere; transition: background-color .15s, border-color .15s;
}
.choice:hover { background: var(--hover); border-color: var(--accent) }
.choice:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.choice span { min-width: 0 }
.choice small { display: block; color: var(--muted); font-weight: 400; font-size: .875rem }
.icon { flex: none; width: 1.375rem; height: 1.375rem }
.badge {
  flex: none; display: grid; place-items: center; width: 2.25rem; height: 2.25rem;
  border-radius: .625rem; background: var(--hover); color: var(--accent); font-weight: 650;
  border: 1px solid var(--line);
}
.action { justify-content: center; text-align: center }
label { display: block; margin-top: 1.5rem; font-weight: 550 }
input[type="radio"] { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent) }
input:not([type="hidden"], [type="radio"]) {
  width: 100%; min-height: 3rem; margin-top: .375rem; padding: .5rem .875rem; font: inherit;
  background: var(--page); color: var(--text); border: 1px solid var(--muted); border-radius: .75rem;
}
input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
input.code { font: 600 1.5rem/1.2 ui-monospace, "SF Mono", Menlo, monospace; letter-spacing: .12em; text-align: center }
.error { color: var(--error) }
button.choice { width: 100%; margin-top: 1.5rem; font: inherit; font-weight: 550; text-align: start; cursor: pointer }
button.action { text-align: center }
h2 + form button:first-of-type { margin-top: .75rem }
form + nav ul, form + form button.choice { margin-top: .625rem }
nav + form label { margin-top: 1.25rem }
button.choice:not(.primary) { background: none }
button + button.choice { margin-top: .625rem }
.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text) }
.primary:hover { background: var(--accent); filter: brightness(1.08) }
footer {
  margin-top: 1.75rem; padding-top: 1.125rem; border-top: 1px solid var(--line);
  color: var(--muted); font-size: .875rem; overflow-wrap: anywhere;
}
footer a { color: var(--accent); white-space: nowrap }
code { font: .8125rem/1.4 ui-monospace, "SF Mono", Menlo, monospace }
@media (max-width: 26rem) { main { padding: 1.75rem 1.25rem } }
@media (prefers-reduced-motion: reduce) { .choice { transition: none } }
`
