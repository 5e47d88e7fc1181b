/** The style sheet of the demo application. */
export const demoStyle = `
:root {
  color-scheme: light dark;
  --page: #f6f7f5; --card: #fff; --text: #17211b; --muted: #57645c; --line: #dde3df;
  --accent: #14703f; --accent-text: #fff; --soft: #e9f4ed; --error: #a6201c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1311; --card: #181e1b; --text: #edf2ef; --muted: #a4b1aa; --line: #313b36;
    --accent: #4fc98a; --accent-text: #06150d; --soft: #1d2c24; --error: #ff9a93;
  }
}
* { box-sizing: border-box; margin: 0 }
body {
  min-height: 100vh; max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; display: flex;
  flex-direction: column; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
a { color: inherit }
header, footer { display: flex; align-items: center; justify-content: space-between; gap: 1rem }
header { padding: 1rem 0; border-bottom: 1px solid var(--line) }
.brand { display: flex; align-items: center; gap: .625rem; font-weight: 650; text-decoration: none }
.logo {
  display: inline-grid; place-items: center; width: 2rem; height: 2rem; border-radius: .625rem;
  flex: none; background: var(--accent); color: var(--accent-text); font-weight: 700;
}
.person { display: flex; align-items: center; gap: .625rem; min-width: 0 }
.avatar {
  display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: 50%;
  background: var(--soft); color: var(--accent); font-weight: 650; flex: none;
}
.who { display: grid; line-height: 1.25; min-width: 0 }
.who small { color: var(--muted); overflow: hidden; text-overflow: ellipsis }
main { flex: 1; padding: 2.5rem 0 }
.place { display: flex; flex-wrap: wrap; gap: .5rem; font-size: .875rem; color: var(--muted) }
.place span { padding: .1875rem .75rem; border: 1px solid var(--line); border-radius: 2rem; background: var(--card) }
.place b { color: var(--text); font-weight: 600 }
h1 { margin-top: 1rem; font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 680 }
.lead { margin-top: .5rem; max-width: 40rem; color: var(--muted); font-size: 1.0625rem }
#documents { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1rem; margin-top: 2rem }
article {
  display: flex; flex-direction: column; padding: 1.5rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 .5rem 2rem rgb(0 0 0 / .04);
}
article.locked { background: transparent; box-shadow: none }
h2 { font-size: 1.125rem; font-weight: 650; text-transform: capitalize }
article > p { color: var(--muted) }
article ul { list-style: none; padding: 0; margin: 1.125rem 0 0; display: grid; gap: .75rem; flex: 1; align-content: start }
article li { display: flex; gap: .75rem }
article b { font-weight: 600 }
article small { display: block; color: var(--muted); font-size: .875rem }
.mark {
  flex: none; display: grid; place-items: center; width: 1.5rem; height: 1.5rem; border-radius: 50%;
  background: var(--soft); color: var(--accent); font-size: .8125rem; font-weight: 700;
}
.no .mark { background: transparent; border: 1px solid var(--line); color: var(--muted) }
article form { margin-top: 1.25rem }
button, .button {
  display: inline-block; padding: .625rem 1.125rem; border: 1px solid var(--line); border-radius: .625rem;
  background: var(--card); color: var(--text); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
article button { width: 100% }
.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text) }
button:hover, .button:hover { border-color: var(--accent) }
.primary:hover { filter: brightness(1.08) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.tip { margin-top: 1.5rem; color: var(--muted); font-size: .9375rem }
.error { margin-top: 1rem; color: var(--error) }
details { margin-top: 1.25rem; color: var(--muted); font-size: .875rem }
summary { cursor: pointer }
details p { margin-top: .75rem }
code { font: .75rem/1.5 ui-monospace, "SF Mono", Menlo, monospace; overflow-wrap: anywhere }
footer { padding: 1.25rem 0; border-top: 1px solid var(--line); flex-wrap: wrap }
footer nav { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; font-size: .9375rem }
@media (max-width: 28rem) { .who small { display: none } }
.welcome { width: 100%; max-width: 27rem; margin: auto; flex: none }
.welcome .logo { width: 3rem; height: 3rem; border-radius: .875rem; font-size: 1.5rem }
.welcome .button { margin-top: 1.75rem; padding: .8125rem 1.5rem }
dl { margin-top: 2.25rem; border-top: 1px solid var(--line) }
dl div { display: flex; gap: 1rem; padding: .625rem 0; border-bottom: 1px solid var(--line) }
dt { flex: none; width: 4rem; font-weight: 600 }
dd { color: var(--muted) }
`
