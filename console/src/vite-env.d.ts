declare module '*.module.css' {
  const classes: Record<string, string>
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports the names of classes.
  export default classes
}
