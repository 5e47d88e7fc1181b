import { ActionIcon, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { signOut, useAdministrator } from '../session/session.ts'
import { Icon } from '../ui/icon.tsx'
import { AccountMenu } from './account-menu.tsx'
import classes from './header.module.css'
import { openPalette } from './palette.tsx'

const schemes = [
  { value: 'auto', label: 'As the system', icon: 'desktop' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
] as const

export function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        className={classes.menu}
        aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      >
        <Icon name={isMenuOpen ? 'close' : 'menu'} size={20} />
      </ActionIcon>
      <UnstyledButton className={classes.find} onClick={openPalette}>
        <Icon name="search" size={16} />
        <span>Find</span>
        <kbd>Ctrl K</kbd>
      </UnstyledButton>
      <Hat>Administrator of this installation</Hat>
      {menus}
    </header>
  )
}

/** Shows in which capacity somebody uses the console. */
export function Hat({ children }: { children: ReactNode }) {
  return <p className={classes.hat}>{children}</p>
}

/** A constant element, so that the menus do not render again with the page. */
const menus = (
  <>
    <ColorScheme />
    <Account />
  </>
)

export function ColorScheme() {
  // Mantine would otherwise disable transitions with an inline style, which the content security
  // policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const current = schemes.find(({ value }) => value === colorScheme) ?? schemes[0]
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Colors">
          <Icon name={current.icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        >
          {schemes.map(({ value, label, icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon name={icon} size={16} />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}

function Account() {
  const administrator = useAdministrator()
  const navigate = useNavigate()
  return (
    <AccountMenu
      person={administrator}
      onSignOut={async () => {
        await signOut()
        await navigate({ to: '/' })
      }}
    >
      <Menu.Item
        leftSection={<Icon name="user" size={16} />}
        onClick={() => navigate({ to: '/people/$userId', params: { userId: administrator.id } })}
      >
        My record
      </Menu.Item>
    </AccountMenu>
  )
}
