declare module '*.module.css' {
  const classes: Record<string, string>
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports the names of classes.
  export default classes
}

declare module '*.md?raw' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports the text of a file.
  export default text
}
